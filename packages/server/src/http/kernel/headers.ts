import { ERRORS } from '@spoor/contract/errors'
import type { Operation } from '@spoor/contract/operations/operation'
import type { IncomingHttpHeaders } from 'node:http'
import { Type } from 'typebox'
import { DomainError } from '../../lib/domain-error.ts'
import { FieldErrors } from '../../lib/validation/field-errors.ts'
import { invalidFields, MOST_ERRORS } from '../../lib/validation/validation-failed.ts'
import { compileCollector } from '../../lib/validation/validator.ts'

const NONE = Type.Object({})

/** Validates the headers of an operation. Throws its `headerError`, by default `validation_failed`. */
export function compileHeaders({
  headers: schema = NONE,
  headerError,
}: Operation): (sent: IncomingHttpHeaders) => void {
  const names = Object.keys(schema.properties).map((name) => [name, name.toLowerCase()] as const)
  if (names.length === 0) return () => {}
  const collect = compileCollector(schema)
  return (sent) => {
    const values: Record<string, unknown> = {}
    for (const [name, key] of names) if (sent[key] !== undefined) values[name] = sent[key]
    const errors = new FieldErrors(MOST_ERRORS, { of: 'headers' })
    collect(values, errors)
    if (errors.isEmpty) return
    throw headerError === undefined
      ? invalidFields(errors)
      : new DomainError(headerError, `${ERRORS[headerError].title}.`)
  }
}
