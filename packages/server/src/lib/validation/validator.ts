import type { Static, TSchema } from 'typebox'
import { compileCheck } from './compile-check.ts'
import { FieldErrors, type FieldErrorOptions } from './field-errors.ts'
import { compileErrorCollector } from './schema-errors.ts'
import { invalidFields, MOST_ERRORS } from './validation-failed.ts'

/** Returns the value if it matches the schema. Throws `validation_failed` that lists its errors. */
export type Validate<T> = (value: unknown) => T

/** Adds what is wrong with the value to `errors`, which may hold errors already. */
export type Collect = (value: unknown, errors: FieldErrors) => void

export function compileValidator<S extends TSchema>(schema: S, options?: FieldErrorOptions): Validate<Static<S>> {
  const collect = compileCollector(schema)
  return (value) => {
    const errors = new FieldErrors(MOST_ERRORS, options)
    collect(value, errors)
    if (!errors.isEmpty) throw invalidFields(errors)
    return value as Static<S>
  }
}

export function compileCollector(schema: TSchema): Collect {
  const matches = compileCheck(schema)
  const collectErrors = compileErrorCollector(schema)
  return (value, errors) => {
    if (!matches(value)) collectErrors(value, null, errors)
  }
}
