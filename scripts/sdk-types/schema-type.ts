/** What of a JSON Schema of the contract decides its TypeScript type. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly contentMediaType?: string
}

const PRIMITIVES: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
}

/**
 * The TypeScript type of the values that a schema accepts.
 *
 * @throws Error for a schema of a form that the contract does not have yet
 */
export function schemaType(schema: Schema): string {
  if (schema.$ref !== undefined) return schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  if (schema.anyOf !== undefined) return schema.anyOf.map(schemaType).join(' | ')
  if (typeof schema.type === 'object') {
    return schema.type.map((type) => schemaType({ ...schema, type })).join(' | ')
  }
  if (schema.type === 'array') return `readonly (${schema.items ? schemaType(schema.items) : 'unknown'})[]`
  if (schema.type === 'object') return objectType(schema)
  if (schema.contentMediaType !== undefined) return 'Blob'
  const primitive = schema.type === undefined ? 'unknown' : PRIMITIVES[schema.type]
  if (primitive === undefined) throw new Error(`No TypeScript type for ${JSON.stringify(schema)}`)
  return primitive
}

/** A comment for editors. The description is kept on as many lines as it needs. */
export function docComment(description: string | undefined): string {
  if (description === undefined) return ''
  const lines = description.replaceAll('*/', '*\\/').split('\n').flatMap(wrap)
  return lines.length === 1 ? `/** ${lines[0]} */\n` : `/**\n${lines.map((line) => ` * ${line}\n`).join('')} */\n`
}

function objectType(schema: Schema): string {
  const required = new Set(schema.required)
  const fields = Object.entries(schema.properties ?? {}).map(([name, field]) => {
    const type = schemaType(field)
    const sign = required.has(name) ? `: ${type}` : `?: ${type} | undefined`
    return `${docComment(field.description)}readonly ${/^[\w$]+$/.test(name) ? name : JSON.stringify(name)}${sign}`
  })
  const others = Object.values(schema.patternProperties ?? {})[0] ?? schema.additionalProperties
  // Beside named fields an index type must include theirs.
  const otherType = typeof others === 'object' && fields.length === 0 ? schemaType(others) : 'unknown'
  if (others !== undefined && others !== false) fields.push(`readonly [field: string]: ${otherType}`)
  return `{\n${fields.join('\n')}\n}`
}

/** Leaves room for the deepest indentation within the 120 characters of a comment line. */
function wrap(text: string): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const line = lines.at(-1)
    if (line !== undefined && line.length + word.length < 100) lines[lines.length - 1] = `${line} ${word}`
    else lines.push(word)
  }
  return lines
}
