import type { ErrorCode, FieldError } from '@spoor/contract/errors'
import type { Static, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { DomainError } from '../../lib/domain-error.ts'
import { shorten } from '../../lib/validation/field-errors.ts'
import { nearestName } from '../../lib/validation/nearest-name.ts'

/**
 * Checks a value against a schema of the contract. Throws `validation_failed` that names what is wrong with it: the first eight findings, where the
 * validator stops, so that a hostile body buys no huge answer.
 */
export type Validate<T> = (value: unknown) => T

const CODES: Readonly<Record<string, ErrorCode>> = {
  type: 'wrong_type',
  format: 'invalid_format',
  pattern: 'invalid_format',
  minimum: 'out_of_range',
  maximum: 'out_of_range',
  exclusiveMinimum: 'out_of_range',
  exclusiveMaximum: 'out_of_range',
  minLength: 'too_short',
  maxLength: 'too_long',
  minItems: 'too_short',
  maxItems: 'too_many',
}

/** `toPointer` turns a JSON pointer into what the client knows the place by. */
export function compileValidator<S extends TSchema>(
  schema: S,
  toPointer: (pointer: string) => string = (pointer) => pointer,
): Validate<Static<S>> {
  const validator = Compile(schema)
  return (value) => {
    if (validator.Check(value)) return value as Static<S>
    const errors: FieldError[] = []
    for (const error of validator.Errors(value)) {
      for (const found of toFieldErrors(error, value)) errors.push({ ...found, pointer: toPointer(found.pointer) })
    }
    throw invalid(errors)
  }
}

export function invalid(errors: readonly FieldError[]): DomainError {
  const [first] = errors
  const where = first === undefined || first.pointer === '' ? '' : `${first.pointer}: `
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : ''
  return new DomainError('validation_failed', `${where}${first?.detail ?? 'The request is not valid.'}${more}`, {
    errors,
  })
}

interface SchemaError {
  readonly keyword: string
  readonly instancePath: string
  readonly params: object
  readonly message: string
}

function toFieldErrors({ keyword, instancePath, params, message }: SchemaError, body: unknown): FieldError[] {
  switch (keyword) {
    // Each field in an object that is closed meets the schema `false`.
    case 'boolean':
      return [unknownField(instancePath)]
    // The same findings once more: of the object, or of each alternative.
    case 'additionalProperties':
    case 'anyOf':
      return []
    case 'required':
      return names(params, 'requiredProperties').map((name) => ({
        pointer: member(instancePath, name),
        code: 'required',
        detail: 'The field is required.',
      }))
    case 'enum':
      return [unknownValue(instancePath, names(params, 'allowedValues'), valueAt(body, instancePath))]
    default:
      return [{ pointer: instancePath, code: CODES[keyword] ?? 'invalid_value', detail: `It ${message}.` }]
  }
}

function unknownField(pointer: string): FieldError {
  const at = pointer.lastIndexOf('/')
  const name = pointer
    .slice(at + 1)
    .replaceAll('~1', '/')
    .replaceAll('~0', '~')
  const detail = `There is no field ${JSON.stringify(shorten(name))}.`
  return { pointer: member(pointer.slice(0, at), name), code: 'unknown_field', detail }
}

function names(params: object, key: string): string[] {
  const value: unknown = Reflect.get(params, key)
  return Array.isArray(value) ? value.map(String) : []
}

function member(pointer: string, name: string): string {
  return `${pointer}/${shorten(name).replaceAll('~', '~0').replaceAll('/', '~1')}`
}

function unknownValue(pointer: string, allowed: readonly string[], value: unknown): FieldError {
  const nearest = typeof value === 'string' ? nearestName(value, allowed) : null
  const given = typeof value === 'string' ? `, not ${JSON.stringify(shorten(value))}` : ''
  const hint = nearest === null ? '' : ` Did you mean ${JSON.stringify(nearest)}?`
  return { pointer, code: 'invalid_value', detail: `It must be one of ${allowed.join(', ')}${given}.${hint}` }
}

/** What a JSON pointer stands for; undefined for what is not there. */
function valueAt(body: unknown, pointer: string): unknown {
  const keys = pointer.split('/').slice(1)
  return keys.reduce<unknown>((value, key) => {
    const name = key.replaceAll('~1', '/').replaceAll('~0', '~')
    return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
  }, body)
}
