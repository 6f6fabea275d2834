//! Layers and what they show when they lie on each other, as mounts that are in no table.

use crate::wire::{Failure, Owner, Step};
use rustix::fd::{AsRawFd, BorrowedFd, OwnedFd};
use rustix::fs::{AtFlags, Gid, Mode, Uid, chownat, mkdirat};
use rustix::mount::{
    FsMountFlags, FsOpenFlags, MountAttrFlags, fsconfig_create, fsconfig_set_flag, fsconfig_set_string, fsmount, fsopen,
};

/// Of a layer: what was written, and what overlayfs needs beside it.
pub(crate) const UPPER: &str = "u";
const WORK: &str = "w";

/// A tmpfs with room for so much, whose directories belong to `owner`.
pub(crate) fn layer(size_bytes: u64, inodes: u64, owner: Option<Owner>) -> Result<OwnedFd, Failure> {
    let tmpfs = fsopen("tmpfs", FsOpenFlags::FSOPEN_CLOEXEC).step("fsopen(tmpfs)")?;
    fsconfig_set_string(&tmpfs, "size", size_bytes.to_string()).step("size")?;
    fsconfig_set_string(&tmpfs, "nr_inodes", inodes.to_string()).step("nr_inodes")?;
    fsconfig_set_string(&tmpfs, "mode", "755").step("mode")?;
    fsconfig_create(&tmpfs).step("a tmpfs")?;
    let attributes = MountAttrFlags::MOUNT_ATTR_NOSUID | MountAttrFlags::MOUNT_ATTR_NODEV;
    let layer = fsmount(&tmpfs, FsMountFlags::FSMOUNT_CLOEXEC, attributes).step("fsmount(tmpfs)")?;
    for name in [UPPER, WORK] {
        mkdirat(&layer, name, Mode::from_raw_mode(0o755)).step(name)?;
    }
    if let Some(Owner { uid, gid }) = owner {
        let (uid, gid) = (Uid::from_raw(uid), Gid::from_raw(gid));
        chownat(&layer, UPPER, Some(uid), Some(gid), AtFlags::SYMLINK_NOFOLLOW).step("chown")?;
    }
    Ok(layer)
}

/// The layers, oldest first, as one directory. Where it is writable, the last one takes what is written.
pub(crate) fn merged(layers: &[BorrowedFd<'_>], writable: bool, user: bool) -> Result<OwnedFd, Failure> {
    let overlay = fsopen("overlay", FsOpenFlags::FSOPEN_CLOEXEC).step("fsopen(overlay)")?;
    let path = |layer: &BorrowedFd<'_>, name: &str| format!("/proc/self/fd/{}/{name}", layer.as_raw_fd());
    let (upper, lower) = match layers.split_last() {
        Some((upper, lower)) if writable => (Some(upper), lower),
        _ => (None, layers),
    };
    for layer in lower.iter().rev() {
        fsconfig_set_string(&overlay, "lowerdir+", path(layer, UPPER)).step("lowerdir+")?;
    }
    if let Some(upper) = upper {
        fsconfig_set_string(&overlay, "upperdir", path(upper, UPPER)).step("upperdir")?;
        fsconfig_set_string(&overlay, "workdir", path(upper, WORK)).step("workdir")?;
    }
    // One number space for all layers, so that a device number tells nothing of the layer.
    fsconfig_set_string(&overlay, "xino", "on").step("xino")?;
    if user {
        // It implies what is asked for below.
        fsconfig_set_flag(&overlay, "userxattr").step("userxattr")?;
    } else {
        // Layers say by themselves what they hold, whatever the kernel's defaults are.
        for option in ["redirect_dir", "metacopy"] {
            fsconfig_set_string(&overlay, option, "off").step(option)?;
        }
    }
    fsconfig_create(&overlay).step("an overlay").map_err(|failure| explained(failure, &overlay))?;
    let attributes = MountAttrFlags::MOUNT_ATTR_NOSUID | MountAttrFlags::MOUNT_ATTR_NODEV;
    fsmount(&overlay, FsMountFlags::FSMOUNT_CLOEXEC, attributes).step("fsmount(overlay)")
}

/// With what the kernel has to say about it.
fn explained(failure: Failure, context: &OwnedFd) -> Failure {
    let mut text = [0_u8; 512];
    let length = rustix::io::read(context, &mut text).unwrap_or(0);
    let text = String::from_utf8_lossy(&text[..length]);
    Failure { what: format!("{} {}", failure.what, text.trim()).trim().to_owned(), ..failure }
}
