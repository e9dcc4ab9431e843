import type { FieldError } from '@spoor/contract/errors'
import type { Static, TObject } from 'typebox'
import { shorten } from '../../lib/validation/field-errors.ts'
import { nearestName } from '../../lib/validation/nearest-name.ts'
import { compileValidator, invalid } from './validate.ts'

interface PropertySchema {
  readonly type?: string
}

/** `?a=1&b=2` of a request target as its pairs, in order. Never throws: a broken escape stands for itself. */
export function queryPairs(target: string): URLSearchParams {
  const at = target.indexOf('?')
  return new URLSearchParams(at < 0 ? '' : target.slice(at + 1))
}

/** As many findings as a body gets: a hostile query buys no huge answer. */
const MOST_FINDINGS = 8

/** Refuses parameters that the schema does not name, with `validation_failed`. Without a schema there are none. */
export function refuseUnknownParameters(schema: TObject | undefined): (target: string) => void {
  const known = Object.keys(schema?.properties ?? {})
  return (target) => {
    const unknown = [...new Set(queryPairs(target).keys())].filter((name) => !known.includes(name))
    if (unknown.length > 0) throw invalid(unknown.slice(0, MOST_FINDINGS).map((name) => unknownParameter(name, known)))
  }
}

function unknownParameter(name: string, known: readonly string[]): FieldError {
  const shown = shorten(name)
  const nearest = nearestName(name, known)
  const none = known.length === 0 ? ' There are none here.' : ''
  const hint = nearest === null ? none : ` Did you mean ${JSON.stringify(nearest)}?`
  const detail = `There is no query parameter ${JSON.stringify(shown)}.${hint}`
  return { pointer: `?${shown}`, code: 'unknown_field', detail }
}

/**
 * Reads query parameters by a schema that describes their meaning: an integer, a boolean and a list are text on the wire. What is given twice
 * without being a list is refused. Other parameters than those of the schema are skipped: `serve` has refused them.
 */
export function compileQuery<S extends TObject>(schema: S): (target: string) => Static<S> {
  const properties = schema.properties as Readonly<Record<string, PropertySchema>>
  const validate = compileValidator(schema, (pointer) => `?${pointer.split('/')[1] ?? ''}`)
  return (target) => {
    const errors: FieldError[] = []
    const values = new Map<string, unknown>()
    for (const [name, text] of queryPairs(target)) {
      const property = Object.hasOwn(properties, name) ? properties[name] : undefined
      const known = values.get(name)
      if (property === undefined) continue
      if (property.type === 'array') {
        if (Array.isArray(known)) known.push(text)
        else values.set(name, [text])
      } else if (known !== undefined) {
        errors.push({ pointer: `?${name}`, code: 'duplicate_field', detail: 'It is given more than once.' })
      } else {
        values.set(name, toValue(property, text))
      }
    }
    if (errors.length > 0) throw invalid(errors)
    return validate(Object.fromEntries(values))
  }
}

/** Text that does not fit its type is left as it is, for the schema to refuse. */
function toValue(property: PropertySchema, text: string): unknown {
  // However many digits it has, it is an integer: a limit beyond all counting is lowered like any other.
  if (property.type === 'integer' && /^-?\d+$/.test(text)) return Math.min(Number(text), Number.MAX_SAFE_INTEGER)
  if (property.type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}
