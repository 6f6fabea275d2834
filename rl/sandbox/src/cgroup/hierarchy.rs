//! Where this process's control groups lie.

use super::{CgroupError, read};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

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

    /// Of what mountinfo and cgroup in /proc/self say.
    fn parse(mounts: &str, groups: &str) -> Self {
        let mut found = Self::default();
        for line in mounts.lines() {
            let Some((mount, source)) = line.split_once(" - ") else { continue };
            let mount: Vec<&str> = mount.split(' ').collect();
            let source: Vec<&str> = source.split(' ').collect();
            let ([_, _, _, root, place, ..], [kind, _, options, ..]) = (&mount[..], &source[..]) else { continue };
            let directory = |group: &str| {
                // In a container the mount may begin below the hierarchy's root.
                let below = group.strip_prefix(root.trim_end_matches('/')).unwrap_or(group);
                Path::new(place).join(below.trim_start_matches('/'))
            };
            match *kind {
                "cgroup2" => found.v2 = group(groups, "").map(directory),
                "cgroup" => {
                    for controller in options.split(',') {
                        if let Some(group) = group(groups, controller) {
                            found.v1.insert(controller.to_owned(), directory(group));
                        }
                    }
                }
                _ => {}
            }
        }
        found
    }
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

    #[test]
    fn both_kinds_of_hierarchies_are_found() {
        let mounts = "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755\n\
                      32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct\n\
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
        assert_eq!(found.v1, expected.map(|(name, path)| (name.to_owned(), path.into())).into());
    }
}
