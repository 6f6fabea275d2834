//! JSON Schema of a tool's arguments, derived from their type.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::Value;

/// Self-contained: no `$ref`, no `$schema`, no title made from a Rust name.
pub(super) fn schema_of<Arguments: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.meta_schema = None;
        settings.inline_subschemas = true;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<Arguments>();
    schema.remove("title");
    schema.remove("description");
    schema.to_value()
}
