import { DomainError } from '../../lib/domain-error.ts'

/** For a project that does not exist, and for one that the sender may not use. */
export function noSuchProject(): DomainError {
  return new DomainError('not_found', 'There is no such project, or this key or session cannot use it.')
}
