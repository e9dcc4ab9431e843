import type { Static, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { FieldErrors, type FieldErrorOptions } from './field-errors.ts'
import { assertKnownSchema, type BodySchema, collectSchemaErrors } from './schema-errors.ts'
import { invalidFields, MOST_ERRORS } from './validation-failed.ts'

/** Checks a value against a schema of the contract. Throws `validation_failed` that names what is wrong with it. */
export type Validate<T> = (value: unknown) => T

/** `errors` given: findings from before, to which those of the schema are added. */
export type Collect = (value: unknown, errors: FieldErrors) => void

/** Throws when the schema has a keyword whose findings could not be worded. */
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
  const validator = Compile(schema)
  assertKnownSchema(schema as BodySchema)
  return (value, errors) => {
    if (!validator.Check(value)) collectSchemaErrors(schema as BodySchema, value, null, errors)
  }
}
