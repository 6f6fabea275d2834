//! Where this process's control groups lie.

use super::CgroupError;
use super::files::read;
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Hierarchies {
    /// By controller.
    pub(super) v1: BTreeMap<String, PathBuf>,
    pub(super) v2: Option<PathBuf>,
}

impl Hierarchies {
    pub(super) fn of_this_process() -> Result<Self, CgroupError> {
        let mounts = read(Path::new("/proc/self/mountinfo"))?;
        let groups = read(Path::new("/proc/self/cgroup"))?;
        Ok(Self::parse(&mounts, &groups))
    }

    /// Of what mountinfo and cgroup in /proc/self say. Of several mounts of one hierarchy it is the first that shows
    /// the group.
    fn parse(mounts: &str, groups: &str) -> Self {
        let mut found = Self::default();
        for line in mounts.lines() {
            let Some((mount, source)) = line.split_once(" - ") else { continue };
            let mount: Vec<&str> = mount.split(' ').collect();
            let source: Vec<&str> = source.split(' ').collect();
            let ([_, _, _, root, place, ..], [kind, _, options, ..]) = (&mount[..], &source[..]) else { continue };
            let shown = |controller: &str| directory(root, place, group(groups, controller)?);
            match *kind {
                "cgroup2" if found.v2.is_none() => found.v2 = shown(""),
                "cgroup" => {
                    for controller in options.split(',') {
                        if let Some(path) = shown(controller) {
                            found.v1.entry(controller.to_owned()).or_insert(path);
                        }
                    }
                }
                _ => {}
            }
        }
        found
    }
}

/// Of a group in a mount at `place`. In a container the mount may begin below the hierarchy's root, at `root`, and the
/// group may lie outside of it.
fn directory(root: &str, place: &str, group: &str) -> Option<PathBuf> {
    let below = Path::new(group).strip_prefix(root).ok()?;
    let is_outside = below.components().any(|component| component == Component::ParentDir);
    (!is_outside).then(|| Path::new(place).join(below))
}

/// Of lines `number:controller,controller:path`; cgroup v2 has no controllers there.
fn group<'a>(groups: &'a str, controller: &str) -> Option<&'a str> {
    groups.lines().find_map(|line| {
        let (_, rest) = line.split_once(':')?;
        let (controllers, path) = rest.split_once(':')?;
        controllers.split(',').any(|name| name == controller).then_some(path)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn v1(expected: &[(&str, &str)]) -> BTreeMap<String, PathBuf> {
        expected.iter().map(|(name, path)| ((*name).to_owned(), path.into())).collect()
    }

    #[test]
    fn both_kinds_of_hierarchies_are_found() {
        let mounts = "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755\n\
                      32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:9 - cgroup cgroup rw,cpu,cpuacct\n\
                      35 31 0:32 /box /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n\
                      41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n";
        let groups = "4:memory:/box/inner\n1:cpu,cpuacct:/\n0::/user.slice\n";
        let found = Hierarchies::parse(mounts, groups);
        assert_eq!(found.v2, Some("/sys/fs/cgroup/unified/user.slice".into()));
        let expected = [
            ("cpu", "/sys/fs/cgroup/cpu,cpuacct"),
            ("cpuacct", "/sys/fs/cgroup/cpu,cpuacct"),
            ("memory", "/sys/fs/cgroup/memory/inner"),
        ];
        assert_eq!(found.v1, v1(&expected));
    }

    #[test]
    fn the_first_mount_that_shows_the_group_is_taken() {
        let mounts = "1 0 0:1 /box /a rw - cgroup cgroup rw,pids\n\
                      2 0 0:1 / /b rw - cgroup cgroup rw,pids\n\
                      3 0 0:1 /boxes /c rw - cgroup cgroup rw,pids\n\
                      4 0 0:2 /elsewhere /d rw - cgroup2 cgroup2 rw\n\
                      5 0 0:2 / /e rw - cgroup2 cgroup2 rw\n\
                      6 0 0:2 / /f rw - cgroup2 cgroup2 rw\n";
        let found = Hierarchies::parse(mounts, "1:pids:/boxes\n0::/own:name\n");
        assert_eq!(found, Hierarchies { v1: v1(&[("pids", "/b/boxes")]), v2: Some("/e/own:name".into()) });
    }

    #[test]
    fn a_group_that_no_mount_shows_is_not_found() {
        let mounts = "1 0 0:1 / /a rw - cgroup cgroup rw,pids\n2 0 0:2 / /b rw - cgroup2 cgroup2 rw\n";
        assert_eq!(Hierarchies::parse(mounts, "1:pids:/../other\n0::/../other\n"), Hierarchies::default());
        assert_eq!(Hierarchies::parse("not\na - mount\n1 2 3 - cgroup2", "nor\na:group\n"), Hierarchies::default());
    }
}
