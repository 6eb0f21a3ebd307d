//! Checkpoints: what was written comes back in any cut, and nothing damaged or half-made is taken for whole.

use std::path::{Path, PathBuf};

use pullback_runtime::checkpoint::{
    self, CheckpointError, MANIFEST, Manifest, Region, ShardInfo, ShardTensor, final_dir, latest_valid, open,
    publish, region, remove_temporaries, temporary_dir, write_shard,
};
use pullback_runtime::digest::Digest;
use safetensors::{Dtype, SafeTensors};

const QKV: [u64; 2] = [4, 12];

/// A matrix [4, 12] whose entries are their own index.
fn qkv() -> Vec<u8> {
    (0..48u32).flat_map(|i| (i as f32).to_le_bytes()).collect()
}

/// `region` of `qkv`, by plain loops.
fn cut(region: &Region) -> Vec<u8> {
    let indices = |d: usize| region[d].iter().flat_map(|&(lo, hi)| lo..hi);
    indices(0)
        .flat_map(|r| indices(1).map(move |c| r * 12 + c))
        .flat_map(|i| (i as f32).to_le_bytes())
        .collect()
}

/// Two unequal shares of a fused q|k|v projection, cut between heads, and a replicated scalar.
fn shares() -> [Region; 2] {
    [vec![vec![(0, 4)], vec![(0, 3), (4, 7), (8, 11)]], vec![vec![(0, 4)], vec![(3, 4), (7, 8), (11, 12)]]]
}

fn write_all(root: &Path, step: u64, seed: u64) -> Vec<ShardInfo> {
    let dir = checkpoint::begin(root, step).unwrap();
    let count = seed.to_le_bytes();
    let write = |(worker, region): (&str, Region)| {
        let bytes = cut(&region);
        let matrix = ShardTensor { name: "qkv", dtype: Dtype::F32, shape: &QKV, region, bytes: &bytes };
        let scalar =
            ShardTensor { name: "count", dtype: Dtype::I64, shape: &[], region: vec![], bytes: &count };
        write_shard(&dir, worker, &[matrix, scalar]).unwrap()
    };
    ["w0", "w1"].into_iter().zip(shares()).map(write).collect()
}

fn manifest(step: u64, shards: &[ShardInfo]) -> Manifest {
    Manifest::assemble(Digest::of(b"plan"), 0, step, step, shards).unwrap()
}

fn published(root: &Path, step: u64) -> PathBuf {
    let shards = write_all(root, step, step);
    publish(root, step, &manifest(step, &shards)).unwrap()
}

#[test]
fn any_region_comes_back() {
    let root = tempfile::tempdir().unwrap();
    let path = published(root.path(), 123);
    assert_eq!(path, root.path().join("step-000123"));
    assert!(!temporary_dir(root.path(), 123).exists());
    let found = open(&path).unwrap();
    assert_eq!((found.manifest().epoch, found.manifest().step), (123, 123));
    assert_eq!(found.tensor("qkv").unwrap().shape, QKV);
    assert_eq!(found.read("qkv").unwrap(), qkv());
    assert_eq!(found.read("count").unwrap(), 123u64.to_le_bytes());
    let [own, _] = shares();
    let halves = vec![vec![(1, 2), (3, 4)], vec![(2, 9), (11, 12)]];
    for region in [own, halves, vec![vec![(0, 4)], vec![]], region::whole(&QKV)] {
        assert_eq!(found.read_region("qkv", &region).unwrap(), cut(&region), "{region:?}");
    }
    assert!(matches!(found.read("kqv"), Err(CheckpointError::NoTensor { .. })));
    let outside = vec![vec![(0, 5)], vec![(0, 1)]];
    assert!(matches!(found.read_region("qkv", &outside), Err(CheckpointError::BadTensor { .. })));
}

#[test]
fn shards_are_plain_safetensors() {
    let root = tempfile::tempdir().unwrap();
    let path = published(root.path(), 1);
    let bytes = std::fs::read(path.join("shard-w0.safetensors")).unwrap();
    let shard = SafeTensors::deserialize(&bytes).unwrap();
    let matrix = shard.tensor("qkv").unwrap();
    assert_eq!((matrix.dtype(), matrix.shape()), (Dtype::F32, &[4, 9][..]));
    assert_eq!(matrix.data(), cut(&shares()[0]));
}

#[test]
fn one_worker_may_hold_several_pieces_and_none_of_a_tensor() {
    let root = tempfile::tempdir().unwrap();
    let dir = checkpoint::begin(root.path(), 1).unwrap();
    let rows = |lo, hi| vec![vec![(lo, hi)], vec![(0, 12)]];
    let (a, b) = (cut(&rows(0, 1)), cut(&rows(1, 4)));
    let piece =
        |region: Region, bytes| ShardTensor { name: "qkv", dtype: Dtype::F32, shape: &QKV, region, bytes };
    let nothing = ShardTensor {
        name: "none",
        dtype: Dtype::BF16,
        shape: &[3, 0],
        region: vec![vec![], vec![]],
        bytes: &[],
    };
    let both = write_shard(&dir, "w0", &[piece(rows(0, 1), &a), piece(rows(1, 4), &b), nothing]).unwrap();
    let idle = write_shard(&dir, "w1", &[piece(vec![vec![], vec![(0, 12)]], &[])]).unwrap();
    assert!(idle.pieces.is_empty());
    publish(root.path(), 1, &manifest(1, &[both, idle])).unwrap();
    let found = latest_valid(root.path()).unwrap().checkpoint.unwrap();
    assert_eq!(found.read("qkv").unwrap(), qkv());
    assert_eq!(found.tensor("none").unwrap().shape, [3, 0]);
    assert!(found.read("none").unwrap().is_empty());
}

/// The outcome of opening after `bytes` took the place of a file's.
fn opened_with(path: &Path, file: &str, bytes: &[u8]) -> Result<Manifest, CheckpointError> {
    std::fs::write(path.join(file), bytes).unwrap();
    open(path).map(|c| c.manifest().clone())
}

/// Changes and cuts all over each file; `checkpoint/manifest.rs` tries every byte of a manifest in memory.
#[test]
fn changed_bytes_and_cuts_are_noticed() {
    let root = tempfile::tempdir().unwrap();
    let path = published(root.path(), 1);
    let good = open(&path).unwrap().manifest().clone();
    for file in ["shard-w0.safetensors", "shard-w1.safetensors", MANIFEST] {
        let whole = std::fs::read(path.join(file)).unwrap();
        // Odd, so that places in JSON lines of equal length differ; the last bytes in any case.
        let step = 1 + 2 * (whole.len() / 200);
        for at in (0..whole.len()).step_by(step).chain(whole.len() - 3..whole.len()) {
            let mut bytes = whole.clone();
            bytes[at] ^= 1 << (at % 8);
            match opened_with(&path, file, &bytes) {
                Err(error) => assert!(error.to_string().contains(file), "{error}"),
                // Only white space of the manifest may change unnoticed.
                Ok(found) => assert!(file == MANIFEST && found == good, "byte {at} of {file}"),
            }
            if let Ok(found) = opened_with(&path, file, &whole[..at]) {
                assert!(file == MANIFEST && at == whole.len() - 1 && found == good, "{file} cut at {at}");
            }
        }
        let longer = [&whole[..], b"}"].concat();
        let error = opened_with(&path, file, &longer).unwrap_err().to_string();
        let says = |what: &str| error.contains(what);
        assert!(says(file) && says("damaged") && says("older checkpoint"), "{error}");
        std::fs::write(path.join(file), whole).unwrap();
    }
    assert!(open(&path).is_ok());
}

#[test]
fn a_missing_file_is_named() {
    for file in ["shard-w1.safetensors", MANIFEST] {
        let root = tempfile::tempdir().unwrap();
        let path = published(root.path(), 1);
        std::fs::remove_file(path.join(file)).unwrap();
        let error = open(&path).unwrap_err();
        assert!(matches!(error, CheckpointError::Missing { .. }), "{error}");
        assert!(error.to_string().contains(file), "{error}");
    }
}

#[test]
fn damaged_and_unfinished_checkpoints_are_passed_over() {
    let root = tempfile::tempdir().unwrap();
    assert!(latest_valid(&root.path().join("none")).unwrap().checkpoint.is_none());
    for step in [9, 10, 1_000_000] {
        published(root.path(), step);
    }
    // Killed while the shards of step 2000000 were written, and after the manifest of step 3000000 was.
    write_all(root.path(), 2_000_000, 1);
    let shards = write_all(root.path(), 3_000_000, 1);
    let temporary = temporary_dir(root.path(), 3_000_000);
    std::fs::copy(final_dir(root.path(), 9).join(MANIFEST), temporary.join(MANIFEST)).unwrap();
    drop(shards);

    let latest = latest_valid(root.path()).unwrap();
    assert_eq!(latest.checkpoint.unwrap().manifest().step, 1_000_000);
    assert!(latest.skipped.is_empty());
    std::fs::write(final_dir(root.path(), 1_000_000).join("shard-w0.safetensors"), b"torn").unwrap();
    let latest = latest_valid(root.path()).unwrap();
    assert_eq!(latest.checkpoint.unwrap().manifest().step, 10);
    assert!(latest.skipped[0].to_string().contains("step-1000000"), "{}", latest.skipped[0]);

    assert_eq!(remove_temporaries(root.path()).unwrap().len(), 2);
    assert_eq!(remove_temporaries(root.path()).unwrap(), Vec::<PathBuf>::new());
    assert_eq!(checkpoint::list(root.path()).unwrap().len(), 3);
}

#[test]
fn publishing_again_is_a_replay_a_repair_or_a_conflict() {
    let root = tempfile::tempdir().unwrap();
    let path = published(root.path(), 5);
    assert_eq!(published(root.path(), 5), path, "the same again");
    assert!(!temporary_dir(root.path(), 5).exists());

    let other = write_all(root.path(), 5, 99);
    let error = publish(root.path(), 5, &manifest(5, &other)).unwrap_err();
    assert!(matches!(error, CheckpointError::Conflict { .. }), "{error}");
    assert_eq!(open(&path).unwrap().read("count").unwrap(), 5u64.to_le_bytes());

    std::fs::remove_file(path.join(MANIFEST)).unwrap();
    assert_eq!(published(root.path(), 5), path);
    assert!(open(&path).is_ok(), "a damaged one is replaced");
}

#[test]
fn an_earlier_try_leaves_nothing_in_a_checkpoint() {
    let root = tempfile::tempdir().unwrap();
    let dir = temporary_dir(root.path(), 5);
    std::fs::create_dir_all(&dir).unwrap();
    std::fs::write(dir.join("shard-w9.safetensors"), b"stale").unwrap();
    let path = published(root.path(), 5);
    assert!(!path.join("shard-w9.safetensors").exists());
}

#[test]
fn only_whole_shards_are_published() {
    let root = tempfile::tempdir().unwrap();
    let shards = write_all(root.path(), 5, 5);
    let manifest = manifest(5, &shards);
    let shard = temporary_dir(root.path(), 5).join("shard-w1.safetensors");
    let whole = std::fs::read(&shard).unwrap();
    std::fs::write(&shard, &whole[1..]).unwrap();
    assert!(matches!(publish(root.path(), 5, &manifest), Err(CheckpointError::Damaged { .. })));
    std::fs::remove_file(&shard).unwrap();
    assert!(matches!(publish(root.path(), 5, &manifest), Err(CheckpointError::Missing { .. })));
    std::fs::write(&shard, &whole).unwrap();
    assert!(publish(root.path(), 6, &manifest).is_err(), "the manifest is of step 5");
    publish(root.path(), 5, &manifest).unwrap();
}

#[test]
fn shards_that_do_not_fit_together_are_refused() {
    let root = tempfile::tempdir().unwrap();
    let shards = write_all(root.path(), 5, 5);
    let assemble =
        |shards: &[ShardInfo]| Manifest::assemble(Digest::of(b"plan"), 0, 5, 5, shards).unwrap_err();
    let error = assemble(&shards[..1]);
    let CheckpointError::Uncovered { region, .. } = &error else { panic!("{error}") };
    assert_eq!(*region, vec![vec![(0, 4)], vec![(3, 4)]]);
    assert!(assemble(&[shards[0].clone(), shards[0].clone()]).to_string().contains("two workers"));
    let mut other = shards.clone();
    other[1].pieces[0].dtype = Dtype::I32;
    assert!(assemble(&other).to_string().contains("another shard says"));
    let mut escaping = shards.clone();
    escaping[1].file.name = "../shard-w1.safetensors".to_owned();
    assert!(assemble(&escaping).to_string().contains("not the name of a shard file"));
}

#[test]
fn tensors_handed_over_wrongly_are_refused() {
    let root = tempfile::tempdir().unwrap();
    let dir = checkpoint::begin(root.path(), 1).unwrap();
    let good =
        ShardTensor { name: "t", dtype: Dtype::F32, shape: &[2], region: vec![vec![(0, 2)]], bytes: &[0; 8] };
    let refused = |worker: &str, t: ShardTensor<'_>| write_shard(&dir, worker, &[t]).unwrap_err().to_string();
    assert!(refused("../w", good.clone()).contains("a worker's name"));
    assert!(refused("w", ShardTensor { bytes: &[0; 7], ..good.clone() }).contains("7 bytes given"));
    assert!(refused("w", ShardTensor { region: vec![vec![(1, 3)]], ..good.clone() }).contains("outside 2"));
    assert!(refused("w", ShardTensor { region: vec![], ..good.clone() }).contains("dimensions"));
    let sub_byte = ShardTensor { dtype: Dtype::F4, bytes: &[0; 1], ..good.clone() };
    assert!(refused("w", sub_byte).contains("unsupported"));
    let nowhere = dir.join("none");
    assert!(matches!(write_shard(&nowhere, "w", &[good]), Err(CheckpointError::Io { .. })));
}
