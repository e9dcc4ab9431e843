import { DomainError } from '../lib/domain-error.ts'
import type { DirectUploadRecord } from '../ports/media/direct-upload-record.ts'
import type { MediaFacts } from '../ports/media/media-record.ts'
import { isContradicted } from './media-types.ts'

/** Why received bytes differ from the announcement; null when they match. */
export function findMismatch(announced: DirectUploadRecord, facts: MediaFacts): string | null {
  if (facts.sizeBytes !== announced.sizeBytes) {
    return `${facts.sizeBytes} bytes arrived; ${announced.sizeBytes} were announced.`
  }
  if (facts.sha256 !== announced.sha256) return `The SHA-256 of the bytes is ${facts.sha256}, not the announced one.`
  if (isContradicted(announced.contentType, facts.contentType)) {
    return `The bytes are ${facts.contentType}; ${announced.contentType} was announced.`
  }
  return null
}

export function uploadMismatch(detail: string): DomainError {
  return new DomainError('upload_mismatch', detail)
}
