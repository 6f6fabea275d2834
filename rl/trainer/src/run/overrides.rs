//! What the command line changes in the file of a run.

/// `dotted.key=value`; a number in the key is an index. A value that is no TOML is a string.
///
/// # Errors
/// Why the table cannot be changed so.
pub(super) fn set(table: toml::Table, given: &str) -> Result<toml::Table, String> {
    let (key, value) = given.split_once('=').ok_or("there is no =")?;
    let parsed = toml::from_str::<toml::Table>(&format!("value = {value}"));
    let value = parsed.ok().and_then(|mut table| table.remove("value")).unwrap_or_else(|| value.into());
    let mut root = toml::Value::Table(table);
    put(&mut root, &key.split('.').collect::<Vec<_>>(), value)?;
    match root {
        toml::Value::Table(table) => Ok(table),
        other => Err(format!("the file would be {}", other.type_str())),
    }
}

fn put(here: &mut toml::Value, path: &[&str], value: toml::Value) -> Result<(), String> {
    let Some((first, rest)) = path.split_first() else {
        *here = value;
        return Ok(());
    };
    match here {
        toml::Value::Table(table) => {
            let missing = || toml::Value::Table(toml::Table::new());
            put(table.entry(*first).or_insert_with(missing), rest, value)
        }
        toml::Value::Array(items) => {
            let count = items.len();
            let item = first.parse::<usize>().ok().and_then(|index| items.get_mut(index));
            put(item.ok_or_else(|| format!("{first:?} is no index below {count}"))?, rest, value)
        }
        other => Err(format!("{first:?} is looked for in a value of type {}", other.type_str())),
    }
}
