import assert from 'node:assert/strict'
import { hash, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { PROJECT } from '../../trace-builders.test-support.ts'
import type { Value } from '../wire/span.ts'
import { type FoundMedia, withoutInlineMedia } from './inline-media.ts'

const bytes = randomBytes(64 * 1024 + 1)
const base64 = bytes.toString('base64')
const sha256 = hash('sha256', bytes)
const URI = `media://${PROJECT}/${sha256}`

function replaced(value: unknown) {
  const found: FoundMedia = new Map()
  const result = withoutInlineMedia(PROJECT, value as Value, found)
  const media = [...found.values()].map(({ bytes: of, kind, contentType, filename, sha256: name }) => {
    return { sha256: name, kind, contentType, filename, isSame: bytes.equals(of) }
  })
  return { result, media }
}

/** A part as a sender has it, with what stands for its base64; its type and kind. */
const PARTS: Readonly<Record<string, readonly [part: (data: string) => unknown, type: string | null, kind: string]>> = {
  'a data URL of OpenAI': [
    (data) => ({ type: 'image_url', image_url: { url: data.replace(base64, `data:image/png;base64,${base64}`) } }),
    'image/png',
    'image',
  ],
  'a data URL of the Responses API': [
    (data) => ({
      type: 'input_image',
      image_url: data.replace(base64, `data:image/webp;charset=x;base64,${base64}`),
    }),
    'image/webp',
    'image',
  ],
  'a blob of gen_ai': [
    (content) => ({ type: 'blob', modality: 'image', mime_type: 'image/jpeg', content }),
    'image/jpeg',
    'image',
  ],
  'a source of Anthropic': [
    (data) => ({ type: 'document', source: { type: 'base64', media_type: 'application/pdf', data } }),
    'application/pdf',
    'file',
  ],
  'audio of OpenAI': [(data) => ({ type: 'input_audio', input_audio: { data, format: 'wav' } }), 'audio/wav', 'audio'],
  'an image of AI SDK, without its type': [(image) => ({ type: 'image', image }), null, 'image'],
  'inline data of Google': [(data) => ({ inline_data: { mime_type: 'video/mp4', data } }), 'video/mp4', 'video'],
  'an image of OpenInference': [
    (data) => ({ type: 'image', image: { image: { url: data.replace(base64, `data:image/gif;base64,${base64}`) } } }),
    'image/gif',
    'image',
  ],
}

for (const [name, [part, contentType, kind]] of Object.entries(PARTS)) {
  test(`${name} becomes media, and everything else of the part stays`, () => {
    const media = [{ sha256, kind, contentType, filename: null, isSame: true }]
    assert.deepEqual(replaced({ messages: [{ role: 'user', content: [part(base64)] }] }), {
      result: { messages: [{ role: 'user', content: [part(URI)] }] },
      media,
    })
    // The same within JSON that is kept as text.
    const kept = replaced({ metadata: { 'input.value': JSON.stringify([part(base64)]) } })
    assert.deepEqual(kept, { result: { metadata: { 'input.value': JSON.stringify([part(URI)]) } }, media })
  })
}

test('lines, the alphabet of URLs and missing padding are base64; the name of a file is kept', () => {
  const lines = base64.replace(/(.{76})/g, '$1\r\n')
  for (const data of [lines, bytes.toString('base64url'), base64.replace(/=+$/, '')]) {
    const { result, media } = replaced({ type: 'file', file: { filename: 'a.pdf', file_data: data } })
    assert.deepEqual(result, { type: 'file', file: { filename: 'a.pdf', file_data: URI } })
    assert.deepEqual(media, [{ sha256, kind: 'file', contentType: null, filename: 'a.pdf', isSame: true }])
  }
})

test('JSON in a text in a text is read, and no deeper', () => {
  const part = { type: 'blob', modality: 'image', content: base64 }
  const inTexts = (value: unknown, count: number): unknown =>
    count === 0 ? value : inTexts(JSON.stringify([value]), count - 1)
  assert.equal(replaced(inTexts(part, 2)).media.length, 1)
  assert.deepEqual(replaced(inTexts(part, 3)), { result: inTexts(part, 3), media: [] })
})

test('the same bytes are found once', () => {
  const { result, media } = replaced([
    { type: 'image', image: base64 },
    { type: 'image', image: base64 },
  ])
  assert.deepEqual(result, [
    { type: 'image', image: URI },
    { type: 'image', image: URI },
  ])
  assert.equal(media.length, 1)
})

test('short base64, texts, and what is no base64 stay as they are, the same value', () => {
  const values: unknown[] = [
    { type: 'image', image: randomBytes(64 * 1024).toString('base64') },
    { type: 'text', text: base64 },
    { role: 'tool', content: [{ type: 'text', text: `data:image/png;base64,${base64}` }] },
    { key: base64 },
    { type: 'image', image: `${base64} and more` },
    { type: 'image', image: `${base64.slice(0, 100)}=${base64}` },
    { type: 'image', image: 'one word '.repeat(20_000) },
    { text: `[${'['.repeat(100_000)}` },
    { text: JSON.stringify({ key: 'long '.repeat(50_000) }) },
  ]
  for (const value of values) {
    const { result, media } = replaced(value)
    assert.equal(result, value)
    assert.deepEqual(media, [])
  }
})
