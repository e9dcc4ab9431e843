import { type DeliveredEventType, EVENT_SUBJECTS, EVENT_TYPES } from '@spoor/contract/events'

type JsonObject = Record<string, unknown>

/**
 * Shortens JSON text of `data` to at most `maxBytes`. Shortens one part after the other as far as needed: an object
 * becomes empty, a list or a text keeps its beginning. `truncated` lists these parts as JSON pointers. If that is not
 * enough, the result is `{"truncated": [""]}`.
 */
export function shrinkData(type: DeliveredEventType, text: string, maxBytes: number): string {
  const data = JSON.parse(text) as JsonObject
  const truncated: string[] = []
  for (const pointer of EVENT_SUBJECTS[EVENT_TYPES[type].subject].cutFirst) {
    const place = find(data, pointer)
    if (place === undefined || isEmpty(place.holder[place.key])) continue
    truncated.push(pointer)
    const excess = sizeOf({ ...data, truncated }) - maxBytes
    const { holder, key } = place
    if (excess > 0) holder[key] = cut(holder[key], sizeOf(holder[key]) - excess)
    const whole = JSON.stringify({ ...data, truncated })
    if (Buffer.byteLength(whole) <= maxBytes) return whole
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

/** Whether the value cannot be shortened. */
function isEmpty(value: unknown): boolean {
  if (typeof value === 'string') return value === ''
  return typeof value !== 'object' || value === null || Object.keys(value).length === 0
}

/** The beginning of the value that has at most `bytes` as JSON; empty if `bytes` is negative. */
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

/** Cuts between characters. */
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
