import type { Static, TObject } from 'typebox'
import { DomainError } from '../../lib/domain-error.ts'
import { compileCheck } from '../../lib/validation/compile-check.ts'

/** Validates path parameters. A malformed id cannot exist, so it is `not_found`. */
export function compilePathParameters<S extends TObject>(schema: S): (params: unknown) => Static<S> {
  const matches = compileCheck(schema)
  return (params) => {
    if (matches(params)) return params as Static<S>
    throw new DomainError('not_found', 'The resource does not exist.')
  }
}
