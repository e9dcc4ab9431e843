import { hash } from 'node:crypto'
import type { ProjectId } from '@spoor/contract/ids'
import type { MediaKind } from '@spoor/contract/schemas/attachment'
import { toMediaUri } from '../../../ports/media/media-uri.ts'
import type { SpanMedia } from '../../../ports/traces/prepared.ts'
import type { Value } from '../wire/span.ts'
import { isList, isObject, type JsonObject, parsed } from './span-fields.ts'

/** Base64 of more bytes than this becomes media. */
const MEDIA_BYTES = 64 * 1024
/** A text with base64 of so many bytes is longer than this. */
export const LEAST_MEDIA_TEXT = Math.floor((MEDIA_BYTES * 4) / 3)

/** Members that name the type of the bytes beside them. */
const TYPE_NAMES = ['mime_type', 'media_type', 'mimeType', 'mediaType', 'contentType', 'content_type'] as const
const FILE_NAMES = ['filename', 'file_name', 'fileName'] as const
/** What a part calls itself, or what it contains, if it may have base64. */
const LABEL = /image|audio|video|file|document|blob|media|base64/i
const DATA_URL = /^data:([^;,]{0,255})(?:;[^;,]{0,255}){0,10};base64,/i

/** What a value is told by the objects around it. */
interface Surroundings {
  readonly contentType: string | null
  readonly label: string
  readonly filename: string | null
  /** How many texts of JSON are around it. */
  readonly texts: number
}

const NOTHING: Surroundings = { contentType: null, label: '', filename: null, texts: 0 }
/** JSON in a text in a text is the most that senders have. Each has the size of the whole again. */
const MOST_TEXTS = 2

/** The bytes of one span, each once, by SHA-256. */
export type FoundMedia = Map<string, SpanMedia>

/**
 * The value with all large base64 replaced by the uri of the media that it becomes, which is added to `found`.
 * Base64 is a data URL, or a text in an object that says which type or kind of content it has. It may be within
 * JSON that is kept as text. Anything else stays as it is.
 */
export function withoutInlineMedia(projectId: ProjectId, value: Value, found: FoundMedia): Value {
  return replaced(value, NOTHING)

  function replaced(inner: Value, around: Surroundings): Value {
    if (typeof inner === 'string') return inner.length <= LEAST_MEDIA_TEXT ? inner : replacedText(inner, around)
    if (isList(inner)) return mapped(inner, (one) => replaced(one, around))
    if (!isObject(inner)) return inner
    const within = surroundingsIn(inner, around)
    const entries = Object.entries(inner)
    const changed = mapped(entries, (entry) => {
      const [name, one] = entry
      const next = name === 'text' && inner['type'] === 'text' ? one : replaced(one, named(name, within))
      return next === one ? entry : ([name, next] as [string, Value])
    })
    return changed === entries ? inner : Object.fromEntries(changed)
  }

  function replacedText(text: string, around: Surroundings): Value {
    const media = mediaOf(text, around)
    if (media === null) return around.texts === MOST_TEXTS ? text : replacedJson(text, around.texts + 1)
    found.set(media.sha256, media)
    return toMediaUri({ projectId, sha256: media.sha256 })
  }

  function replacedJson(text: string, texts: number): string {
    const json = parsed(text) as Value
    const next = typeof json === 'string' ? json : replaced(json, { ...NOTHING, texts })
    return next === json ? text : JSON.stringify(next)
  }
}

/** The same list if nothing has changed. */
function mapped<T>(list: readonly T[], change: (one: T) => T): readonly T[] {
  const next = list.map(change)
  return next.some((one, at) => one !== list[at]) ? next : list
}

function surroundingsIn(object: JsonObject, around: Surroundings): Surroundings {
  const { type, modality, format } = object
  const labels = [type, modality].filter((one) => typeof one === 'string' && LABEL.test(one))
  const label = labels.length === 0 ? around.label : labels.join(' ')
  const ofAudio = typeof format === 'string' && /^[a-z0-9]{2,10}$/.test(format) ? `audio/${format}` : null
  return {
    ...around,
    label,
    contentType: firstText(object, TYPE_NAMES) ?? (/audio/i.test(label) ? ofAudio : null) ?? around.contentType,
    filename: firstText(object, FILE_NAMES) ?? around.filename,
  }
}

/** `input_audio: {data, format}`, `inline_data: {data}`: the name of the member may be all that tells. */
function named(name: string, around: Surroundings): Surroundings {
  return around.label === '' && LABEL.test(name) ? { ...around, label: name } : around
}

function firstText(object: JsonObject, names: readonly string[]): string | null {
  for (const name of names) {
    const value = object[name]
    if (typeof value === 'string' && value !== '' && value.length <= 255) return value
  }
  return null
}

/** Null for a text that is not known to be base64. */
function mediaOf(text: string, around: Surroundings): SpanMedia | null {
  const url = DATA_URL.exec(text)
  if (url !== null) return toMedia(text.slice(url[0].length), { ...around, contentType: url[1] || around.contentType })
  return around.contentType === null && around.label === '' ? null : toMedia(text, around)
}

/** Null for a text that is no base64, or of too few bytes. */
function toMedia(base64: string, { contentType, label, filename }: Surroundings): SpanMedia | null {
  const end = base64.indexOf('=')
  const digits = end === -1 ? base64 : base64.slice(0, end)
  if (/[^A-Za-z0-9+/_\-\r\n]/.test(digits)) return null
  if (end !== -1 && !/^={1,2}\s*$/.test(base64.slice(end, end + 64))) return null
  const bytes = Buffer.from(digits, 'base64')
  if (bytes.length <= MEDIA_BYTES) return null
  return { sha256: hash('sha256', bytes, 'hex'), kind: mediaKindOf(contentType ?? label), contentType, filename, bytes }
}

/** By the type of the bytes, or what calls them. */
export function mediaKindOf(name: string): MediaKind {
  return (['image', 'audio', 'video'] as const).find((one) => name.toLowerCase().includes(one)) ?? 'file'
}
