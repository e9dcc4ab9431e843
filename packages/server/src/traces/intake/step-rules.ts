import type { Limits } from '@spoor/contract/limits'
import { isFields } from '@spoor/payloads/json'
import type { FieldErrors, Place } from '../../lib/validation/field-errors.ts'
import type { ObjectOutline } from '../../lib/json/object-outline.ts'
import * as rules from '../../lib/validation/field-rules.ts'
import { checkAttachments, checkParent, checkTimes } from './body-rules.ts'
import type { FindMedia } from './linkable-media.ts'

/**
 * Adds the problems of one step that its schema cannot express. `value` may have any shape; `outline` is null when it
 * is not an object.
 */
export function checkStepRules(
  bytes: Buffer,
  value: unknown,
  outline: ObjectOutline | null,
  limits: Limits,
  findMedia: FindMedia,
  place: Place | null,
  errors: FieldErrors,
): void {
  if (outline === null || !isFields(value)) return
  rules.checkRepeatedFields(bytes, value, outline, place, errors)
  rules.checkRepeatedFieldsOf(bytes, value, 'token_usage', outline, place, errors)
  rules.checkRepeatedFieldsOf(bytes, value, 'error', outline, place, errors)
  rules.checkFilterText(value, 'name', place, errors)
  rules.checkFilterText(value, 'model', place, errors)
  rules.checkFilterText(value, 'idempotency_key', place, errors)
  const { error } = value
  if (isFields(error)) {
    const errorPlace = { parent: place, key: 'error' }
    rules.checkUnicode(error, 'type', errorPlace, errors)
    rules.checkUnicode(error, 'message', errorPlace, errors)
  }
  rules.checkMetadata(value, limits, place, errors)
  checkTimes(value, place, errors)
  checkAttachments(value, findMedia, place, errors)
  checkParent(value, place, errors)
}
