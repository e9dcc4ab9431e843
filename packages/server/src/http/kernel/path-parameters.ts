import type { Static, TObject } from 'typebox'
import { Compile } from 'typebox/compile'
import { DomainError } from '../../lib/domain-error.ts'

/** Reads the parameters of a path. What is not even well-formed names nothing: `not_found`. */
export function compilePathParameters<S extends TObject>(schema: S): (params: unknown) => Static<S> {
  const validator = Compile(schema)
  return (params) => {
    if (validator.Check(params)) return params as Static<S>
    throw new DomainError('not_found', 'There is no such thing here.')
  }
}
