import type { ErrorCode, FieldError } from '@spoor/contract/errors'
import type { Static, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { DomainError } from '../lib/domain-error.ts'
import { shorten } from '../lib/field-errors.ts'

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
      for (const found of toFieldErrors(error)) errors.push({ ...found, pointer: toPointer(found.pointer) })
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

function toFieldErrors({ keyword, instancePath, params, message }: SchemaError): FieldError[] {
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
    default:
      return [{ pointer: instancePath, code: CODES[keyword] ?? 'invalid_value', detail: sentence(message, params) }]
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

function sentence(message: string, params: object): string {
  const allowed = names(params, 'allowedValues')
  return allowed.length > 0 ? `It must be one of ${allowed.join(', ')}.` : `It ${message}.`
}
