import { DomainError } from '../lib/domain-error.ts'

export function diskFull(cause: unknown, detail = 'The disk of the service is full.'): DomainError {
  return new DomainError('disk_full', detail, { retryAfterSeconds: 10, cause })
}

export function storeUnavailable(cause: unknown, detail = 'The store cannot be used right now.'): DomainError {
  return new DomainError('storage_unavailable', detail, { retryAfterSeconds: 2, cause })
}
