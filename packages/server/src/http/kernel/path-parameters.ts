import type { Static, TObject } from 'typebox'
import { Compile } from 'typebox/compile'
import { DomainError } from '../../lib/domain-error.ts'

/** Validates path parameters. A malformed id cannot exist, so it is `not_found`. */
export function compilePathParameters<S extends TObject>(schema: S): (params: unknown) => Static<S> {
  const validator = Compile(schema)
  return (params) => {
    if (validator.Check(params)) return params as Static<S>
    throw new DomainError('not_found', 'The resource does not exist.')
  }
}
