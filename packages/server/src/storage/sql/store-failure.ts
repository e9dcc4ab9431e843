import { DomainError } from '../../lib/domain-error.ts'

export function diskFull(cause: unknown): DomainError {
  return new DomainError('disk_full', 'The disk of the service is full.', { retryAfterSeconds: 10, cause })
}

export function storeUnavailable(cause: unknown, detail = 'The store cannot be used right now.'): DomainError {
  return new DomainError('storage_unavailable', detail, { retryAfterSeconds: 2, cause })
}
