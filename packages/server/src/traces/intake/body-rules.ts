import { type Fields, isFields } from '@spoor/payloads/json'
import { checkTime } from '../../lib/validation/field-rules.ts'
import { type FieldErrors, type Place, shorten } from '../../lib/validation/field-errors.ts'
import type { FindMedia } from './linkable-media.ts'

/* The rules that apply only to traces and steps; see lib/validation/field-rules.ts. */

export function checkTimes(fields: Fields, place: Place | null, errors: FieldErrors): void {
  const startedAt = checkTime(fields, 'started_at', place, errors)
  const endedAt = checkTime(fields, 'ended_at', place, errors)
  if (startedAt === null || endedAt === null || endedAt >= startedAt) return
  errors.add({ parent: place, key: 'ended_at' }, 'out_of_range', '`ended_at` must not be before `started_at`.')
}

export function checkAttachments(fields: Fields, findMedia: FindMedia, place: Place | null, errors: FieldErrors): void {
  const value = fields['attachments']
  if (!Array.isArray(value)) return
  for (let index = 0; index < value.length && !errors.isFull; index++) {
    const attachment: unknown = value[index]
    if (!isFields(attachment) || typeof attachment['uri'] !== 'string') continue
    if (findMedia(attachment['uri']) !== null) continue
    const at = { parent: { parent: { parent: place, key: 'attachments' }, key: index }, key: 'uri' }
    errors.add(at, 'attachment_not_found', `There is no media \`${shorten(attachment['uri'])}\` in the project.`)
  }
}

/** The only check on a parent that needs no other step. */
export function checkParent(fields: Fields, place: Place | null, errors: FieldErrors): void {
  if (typeof fields['id'] !== 'string' || fields['id'] !== fields['parent_step_id']) return
  errors.add({ parent: place, key: 'parent_step_id' }, 'invalid_value', 'A step cannot be its own parent.')
}
