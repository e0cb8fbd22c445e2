import type { Schema } from './openapi-document.ts';

/** Flattens a JSON Schema for the reference: a list of its fields, and an example. */

export interface Field {
  /** Its path in the body: `computes[].name`; `<key>` is any key. */
  path: string;
  required: boolean;
  /** The type in words: `string`, `array of Peer`, `integer or null`. */
  type: string;
  /** Bounds, values and defaults, as marked text. */
  rules: string[];
  description: string | null;
}

type Schemas = Record<string, Schema>;

export type Body = ReturnType<typeof bodiesOf>[number];

/** The bodies that a schema allows: one, or one per alternative. */
export function bodiesOf(schema: Schema, schemas: Schemas) {
  const reader = new SchemaReader(schemas);
  return reader.alternatives(schema).map((alternative) => ({
    /** The schema's name in the document. */
    name: reader.nameOf(alternative),
    fields: reader.fields(alternative),
    example: reader.example(alternative),
  }));
}

/** A single value, such as a parameter. */
export function fieldOf(
  name: string,
  schema: Schema,
  required: boolean,
  schemas: Schemas,
): Field & { example: unknown } {
  const reader = new SchemaReader(schemas);
  return { ...reader.field(name, schema, required), example: reader.example(schema) };
}

const REF = '#/components/schemas/';

class SchemaReader {
  constructor(private readonly schemas: Schemas) {}

  nameOf({ $ref }: Schema): string | null {
    return $ref?.startsWith(REF) ? $ref.slice(REF.length) : null;
  }

  /** The schema that a reference points to. Keys beside the reference override its own. */
  resolve(schema: Schema): Schema {
    const name = this.nameOf(schema);
    if (name !== null) {
      const target = this.schemas[name];
      if (!target) throw new Error(`The document has no schema ${name}.`);
      const { $ref: _, ...beside } = schema;
      return this.resolve({ ...target, ...beside });
    }
    if (!schema.allOf) return schema;
    const { allOf, ...beside } = schema;
    return [...allOf.map((part) => this.resolve(part)), beside].reduce((all, part) => ({
      ...all,
      ...part,
      ...(all.properties || part.properties
        ? { properties: { ...all.properties, ...part.properties } }
        : {}),
      ...(all.required || part.required
        ? { required: [...(all.required ?? []), ...(part.required ?? [])] }
        : {}),
    }));
  }

  /** The schemas of which a value matches one, without null: see {@link nullable}. */
  alternatives(schema: Schema): Schema[] {
    const { anyOf, oneOf } = this.resolve(schema);
    const all = anyOf ?? oneOf;
    return all ? all.filter((one) => one.type !== 'null') : [schema];
  }

  nullable(schema: Schema): boolean {
    const { anyOf, oneOf, type } = this.resolve(schema);
    return (
      (anyOf ?? oneOf)?.some((one) => one.type === 'null') === true ||
      (Array.isArray(type) && type.includes('null'))
    );
  }

  field(path: string, schema: Schema, required: boolean): Field {
    const resolved = this.resolve(schema);
    const alternatives = this.alternatives(schema);
    const only = alternatives.length === 1 ? this.resolve(alternatives[0] as Schema) : null;
    return {
      path,
      required,
      type: this.#type(schema),
      rules: only ? this.#rules({ ...only, default: resolved.default ?? only.default }) : [],
      // The nearest description is the most specific.
      description: resolved.description ?? only?.description ?? null,
    };
  }

  /** The fields of an object, each followed by its own fields. A schema within itself isn't expanded. */
  fields(schema: Schema, prefix = '', within: string[] = []): Field[] {
    const alternatives = this.alternatives(schema);
    if (alternatives.length !== 1) return [];
    const only = alternatives[0] as Schema;
    const name = this.nameOf(only);
    if (name !== null && within.includes(name)) return [];
    const inside = name === null ? within : [...within, name];
    const { properties = {}, required = [], additionalProperties, items } = this.resolve(only);
    if (items) return this.fields(items, `${prefix}[]`, inside);
    const fields = Object.entries(properties).flatMap(([key, value]) => {
      const path = prefix === '' ? key : `${prefix}.${key}`;
      return [this.field(path, value, required.includes(key)), ...this.fields(value, path, inside)];
    });
    // Clients can't rely on properties that are added to known ones.
    if (typeof additionalProperties !== 'object' || fields.length > 0) return fields;
    const path = prefix === '' ? '<key>' : `${prefix}.<key>`;
    return [
      this.field(path, additionalProperties, false),
      ...this.fields(additionalProperties, path, inside),
    ];
  }

  example(schema: Schema): unknown {
    const resolved = this.resolve(schema);
    if (resolved.example !== undefined) return resolved.example;
    const [first = schema] = this.alternatives(schema);
    const { example, properties } = this.resolve(first);
    // Null if the document has no example of another value.
    if (this.nullable(schema) && example === undefined && !properties) return null;
    if (first !== schema) return this.example(first);
    if (resolved.const !== undefined) return resolved.const;
    if (resolved.default !== undefined) return resolved.default;
    if (resolved.enum) return resolved.enum[0];
    if (resolved.items) return [this.example(resolved.items)];
    if (resolved.properties)
      return Object.fromEntries(
        Object.entries(resolved.properties).map(([key, value]) => [key, this.example(value)]),
      );
    return { string: 'text', integer: 1, number: 1, boolean: true, object: {}, null: null }[
      String(resolved.type)
    ];
  }

  #type(schema: Schema): string {
    const words = this.alternatives(schema).map((alternative) => {
      const { type, items, properties, format } = this.resolve(alternative);
      const name = this.nameOf(alternative);
      if (items)
        return `array of ${this.#type(items).replace(/^(string|number|integer|object)$/, '$1s')}`;
      if (name !== null && properties) return name;
      const own = [type ?? []].flat().filter((one) => one !== 'null');
      return `${own.join(' or ') || 'any value'}${format ? ` (${format})` : ''}`;
    });
    return [...new Set(words), ...(this.nullable(schema) ? ['null'] : [])].join(' or ');
  }

  #rules(schema: Schema): string[] {
    const items = schema.items && this.resolve(schema.items);
    const code = (value: unknown) =>
      `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
    const values = schema.enum ?? items?.enum;
    return [
      schema.const === undefined ? null : `always ${code(schema.const)}`,
      values ? `one of ${values.map(code).join(' ')}` : null,
      range(schema.minimum, schema.maximum, ''),
      range(schema.minLength, schema.maxLength, ' characters'),
      range(schema.minItems, schema.maxItems, ' elements'),
      // A format says the same in a word.
      schema.pattern && !schema.format ? `matches ${code(schema.pattern)}` : null,
      schema.default === undefined
        ? null
        : schema.default === ''
          ? 'default empty'
          : `default ${code(schema.default)}`,
    ].filter((rule) => rule !== null);
  }
}

/** Bounds in words, without those that every integer has. */
function range(min: number | undefined, max: number | undefined, unit: string): string | null {
  const from = min === undefined || min <= Number.MIN_SAFE_INTEGER ? null : min;
  const to = max === undefined || max >= Number.MAX_SAFE_INTEGER ? null : max;
  if (from !== null && to !== null)
    return from === to ? `${from}${unit}` : `${from} to ${to}${unit}`;
  if (to !== null) return `at most ${to}${unit}`;
  return from === null ? null : `at least ${from}${unit}`;
}
