import { type DeliveredEventType, EVENT_SUBJECTS, EVENT_TYPES } from '@spoor/contract/events'

type JsonObject = Record<string, unknown>

/**
 * JSON text of `data` in at most `room` bytes. One part after the other is made as much smaller as is needed: an object becomes empty, a list and a text keep their beginning.
 * `truncated` names those that were, as JSON pointers. When even that is not enough, nothing is left but `{"truncated": [""]}`.
 */
export function shrinkData(type: DeliveredEventType, text: string, room: number): string {
  const data = JSON.parse(text) as JsonObject
  const truncated: string[] = []
  for (const pointer of EVENT_SUBJECTS[EVENT_TYPES[type].subject].cutFirst) {
    const place = find(data, pointer)
    if (place === undefined || isEmpty(place.holder[place.key])) continue
    truncated.push(pointer)
    const excess = sizeOf({ ...data, truncated }) - room
    const { holder, key } = place
    if (excess > 0) holder[key] = cut(holder[key], sizeOf(holder[key]) - excess)
    const whole = JSON.stringify({ ...data, truncated })
    if (Buffer.byteLength(whole) <= room) return whole
  }
  return JSON.stringify({ truncated: [''] })
}

function find(data: JsonObject, pointer: string): { readonly holder: JsonObject; readonly key: string } | undefined {
  const names = pointer.split('/').slice(1)
  const key = names.pop() ?? ''
  let holder: unknown = data
  for (const name of names) holder = isObject(holder) ? holder[name] : undefined
  return isObject(holder) && Object.hasOwn(holder, key) ? { holder, key } : undefined
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Nothing that could be made smaller. */
function isEmpty(value: unknown): boolean {
  if (typeof value === 'string') return value === ''
  return typeof value !== 'object' || value === null || Object.keys(value).length === 0
}

/** As much of the value's beginning as takes `bytes` when printed; less than nothing is nothing. */
function cut(value: unknown, bytes: number): unknown {
  if (typeof value === 'string') return cutText(value, bytes - 2)
  if (!Array.isArray(value)) return {}
  let taken = 0
  let size = 2
  for (const element of value) {
    size += sizeOf(element) + (taken === 0 ? 0 : 1)
    if (size > bytes) break
    taken += 1
  }
  return value.slice(0, taken)
}

/** Never in the middle of a character. */
function cutText(text: string, bytes: number): string {
  let end = 0
  let size = 0
  for (const character of text) {
    size += sizeOf(character) - 2
    if (size > bytes) break
    end += character.length
  }
  return text.slice(0, end)
}

function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}
