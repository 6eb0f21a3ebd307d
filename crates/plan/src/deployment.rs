//! The deployment: the machines there really are, with measured costs.
//!
//! Written as TOML by a person or by `pullback probe`; unknown keys are errors. Its digest is that of the
//! parsed form.

use crate::digest::Digest;
use pullback_ir::DType;
use serde::{Deserialize, Serialize};

/// Hosts, devices and links.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Deployment {
    /// Format version: 1.
    pub version: u32,
    /// Devices, one worker each.
    #[serde(rename = "device")]
    pub devices: Vec<Device>,
    /// Links between devices. Pairs not listed have no route, unless none is listed at all: then every pair has
    /// one, over loopback.
    #[serde(default, rename = "link", skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<Link>,
}

/// A device and the worker process that drives it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Device {
    /// Its name.
    pub name: String,
    /// Address its worker listens on: an IP address (loopback only); port 0 lets the system choose.
    #[serde(default = "loopback")]
    pub address: String,
    /// `cpu` or `reference`.
    #[serde(default = "cpu")]
    pub kind: String,
    /// Threads it computes with.
    #[serde(default = "one_thread")]
    pub threads: usize,
    /// Memory for buffers and temporaries, MiB.
    pub memory_mib: u64,
    /// Element types it computes; all that the kind supports when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dtypes: Option<Vec<String>>,
    /// Measured seconds per sample of the model's step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds_per_sample: Option<f64>,
    /// Measured seconds a step costs whatever its samples, when it has any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds_overhead: Option<f64>,
    /// Makes the worker this many times slower: it sleeps (throttle - 1) x the compute time after each template.
    #[serde(default = "unthrottled")]
    pub throttle: f64,
}

/// A link, both directions.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Link {
    /// The two devices.
    pub between: [String; 2],
    /// Megabytes per second in each direction.
    pub megabytes_per_second: f64,
    /// One-way latency in microseconds.
    pub latency_us: f64,
}

fn loopback() -> String {
    "127.0.0.1:0".into()
}

fn cpu() -> String {
    "cpu".into()
}

fn one_thread() -> usize {
    1
}

fn unthrottled() -> f64 {
    1.0
}

impl Deployment {
    /// Reads TOML. The message names line and key.
    pub fn parse(text: &str) -> Result<Self, String> {
        let d: Deployment = toml::from_str(text).map_err(|e| e.to_string())?;
        d.check()?;
        Ok(d)
    }

    fn check(&self) -> Result<(), String> {
        if self.version != 1 {
            return Err(format!("version {} is unsupported; this program reads version 1", self.version));
        }
        if self.devices.is_empty() || self.devices.len() > 1 << 16 {
            return Err("a deployment needs between 1 and 65536 devices".into());
        }
        for (i, d) in self.devices.iter().enumerate() {
            let name = &d.name;
            if self.devices[..i].iter().any(|e| e.name == *name) {
                return Err(format!("device {name:?} is defined twice"));
            }
            if !matches!(d.kind.as_str(), "cpu" | "reference") {
                return Err(format!(
                    "device {name:?}: kind {:?} is unsupported; use \"cpu\" or \"reference\"",
                    d.kind
                ));
            }
            d.check_name_and_address()?;
            if d.threads == 0 || d.threads > 1024 {
                return Err(format!(
                    "device {name:?}: threads must be between 1 and 1024, got {}",
                    d.threads
                ));
            }
            if d.memory_mib == 0 || d.memory_mib > 1 << 34 {
                return Err(format!(
                    "device {name:?}: memory_mib must be positive and below 2^34, got {}",
                    d.memory_mib
                ));
            }
            if !(d.throttle >= 1.0 && d.throttle <= 1000.0) {
                return Err(format!(
                    "device {name:?}: throttle must be between 1 and 1000, got {}",
                    d.throttle
                ));
            }
            let positive = |v: Option<f64>| v.is_none_or(|v| v.is_finite() && v >= 0.0);
            if !positive(d.seconds_per_sample) || !positive(d.seconds_overhead) {
                return Err(format!("device {name:?}: measured seconds must be finite and not negative"));
            }
            for t in d.dtypes.iter().flatten() {
                if DType::from_name(t).is_none() {
                    return Err(format!("device {name:?}: {t:?} is not an element type"));
                }
            }
        }
        for l in &self.links {
            if let Some(n) = l.between.iter().find(|n| self.device(n).is_none()) {
                return Err(format!("a link names device {n:?}, which is not defined"));
            }
        }
        Ok(())
    }

    /// The device named so.
    pub fn device(&self, name: &str) -> Option<&Device> {
        self.devices.iter().find(|d| d.name == name)
    }

    /// Whether frames can go between two devices.
    pub fn has_route(&self, a: &str, b: &str) -> bool {
        let joins =
            |l: &Link| (l.between[0] == a && l.between[1] == b) || (l.between[0] == b && l.between[1] == a);
        a == b || self.links.is_empty() || self.links.iter().any(joins)
    }

    /// The identity of the parsed form.
    pub fn digest(&self) -> Digest {
        Digest::of(&serde_json::to_vec(self).expect("plain data serializes"))
    }

    /// The TOML text of this deployment.
    pub fn to_toml(&self) -> String {
        toml::to_string(self).expect("plain data serializes")
    }
}

impl Device {
    /// The name can name a file, the address is one of the loopback interface.
    fn check_name_and_address(&self) -> Result<(), String> {
        let name = &self.name;
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        if name.is_empty() || name.starts_with('.') || name.len() > 64 || !name.chars().all(plain) {
            return Err(format!(
                "device {name:?}: a name has letters, digits, '-', '_' and '.', 64 at most (files are named after it)"
            ));
        }
        match self.address.parse::<std::net::SocketAddr>() {
            Ok(a) if a.ip().is_loopback() => {}
            Ok(a) => {
                return Err(format!(
                    "device {name:?}: address {a} is unsupported: only loopback addresses are, like 127.0.0.1:0, because \
                     links between machines need encryption"
                ));
            }
            Err(_) => {
                return Err(format!(
                    "device {name:?}: {:?} is not an address and port like 127.0.0.1:0 (port 0 lets the system choose)",
                    self.address
                ));
            }
        }
        Ok(())
    }

    /// Whether it computes an element type.
    pub fn supports(&self, dtype: DType) -> bool {
        self.dtypes.as_ref().is_none_or(|list| list.iter().any(|n| n == dtype.name()))
    }

    /// Memory in bytes.
    pub fn memory_bytes(&self) -> u64 {
        self.memory_mib << 20
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_it_writes() {
        let d = Deployment::parse("version=1\n[[device]]\nname='a'\nmemory_mib=64\nthrottle=2.0\n").unwrap();
        assert_eq!(Deployment::parse(&d.to_toml()).unwrap(), d);
        assert!(d.has_route("a", "b") && d.devices[0].supports(DType::F32));
    }

    #[test]
    fn refuses_nonsense() {
        for (text, want) in [
            ("version=2\ndevice=[]", "version 2"),
            ("version=1\ndevice=[]", "between 1"),
            ("version=1\n[[device]]\nname='a'\nmemory_mib=1\nkind='tpu'", "tpu"),
            ("version=1\n[[device]]\nname='a'\nmemory_mib=1\nspeed=3", "speed"),
            ("version=1\n[[device]]\nname='a'\nmemory_mib=1\nthrottle=0.5", "throttle"),
        ] {
            let e = Deployment::parse(text).unwrap_err();
            assert!(e.contains(want), "{e}");
        }
    }
}
