//! The choice of a device to compute on.

use pullback_eval::{CpuDevice, Device, ReferenceDevice};

/// Which device computes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum DeviceKind {
    /// Plain loops: slow, obvious, what the others are judged by.
    Reference,
    /// The fast backend.
    Cpu,
}

/// Options of commands that compute.
#[derive(clap::Args)]
pub struct DeviceArgs {
    /// Device to compute on
    #[arg(long, value_enum, default_value = "cpu")]
    device: DeviceKind,
    /// Threads of the cpu device [default: one per core]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
}

impl DeviceArgs {
    /// The device.
    pub fn open(&self) -> Box<dyn Device> {
        match self.device {
            DeviceKind::Reference => Box::new(ReferenceDevice),
            DeviceKind::Cpu => {
                let cores = || std::thread::available_parallelism().map_or(1, usize::from);
                Box::new(CpuDevice { threads: self.threads.map_or_else(cores, usize::from) })
            }
        }
    }
}
