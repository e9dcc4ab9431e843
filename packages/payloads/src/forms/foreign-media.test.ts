import assert from 'node:assert/strict'
import { test } from 'node:test'
import { foreignMedia } from './foreign-media.ts'

const bytesOf = (text: string) => [...text].map((char) => char.charCodeAt(0))
const PNG = bytesOf('\x89PNG\r\n\x1a\n\0\0\0\rIHDR')
const base64 = (bytes: readonly number[]) => btoa(String.fromCharCode(...bytes))
const buffer = (data: readonly number[]) => ({ type: 'Buffer', data })

test('a buffer is an image or a file by its bytes, wherever it is in a part', () => {
  const png = { type: 'image', mime_type: 'image/png', data: base64(PNG) }
  const numbered = Object.fromEntries(PNG.entries())
  for (const part of [
    { type: 'file', data: buffer(PNG) },
    { type: 'file', data: buffer(PNG), mediaType: 'image/png' },
    { type: 'image', image: buffer(PNG) },
    { type: 'image', image: buffer(PNG), mimeType: 'image/*' },
    { type: 'image', image: numbered },
    { type: 'file', file: buffer(PNG) },
    buffer(PNG),
  ])
    assert.deepEqual(foreignMedia(part), [png], JSON.stringify(part))
})

test('bytes of other types have those; unknown ones are a file', () => {
  const typeOf = (text: string) => {
    const [part] = foreignMedia({ type: 'file', data: buffer(bytesOf(text)) }) ?? []
    return [part?.['type'], part?.['mime_type']]
  }
  assert.deepEqual(typeOf('\xff\xd8\xff\xe0\0\x10JFIF\0\x01'), ['image', 'image/jpeg'])
  assert.deepEqual(typeOf('GIF89a\x01\0\x01\0\0\0'), ['image', 'image/gif'])
  assert.deepEqual(typeOf('RIFF\x01\x02\x03\x04WEBPVP8 '), ['image', 'image/webp'])
  assert.deepEqual(typeOf('RIFF\x01\x02\x03\x04WAVEfmt '), ['audio', 'audio/wav'])
  assert.deepEqual(typeOf('%PDF-1.7\nabcdef'), ['file', 'application/pdf'])
  assert.deepEqual(typeOf('hello, this is a text'), ['file', undefined])
  assert.deepEqual(typeOf('%PDF'), ['file', undefined])
})

test('a text that only looks like base64 is no image, and one in the alphabet of addresses is kept', () => {
  assert.equal(foreignMedia({ type: 'image', image: 'cat' }), null)
  const data = `_-_-${'A'.repeat(80)}`
  assert.deepEqual(foreignMedia({ type: 'image', image: data }), [{ type: 'image', data }])
})
