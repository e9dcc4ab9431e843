import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isContradicted, isShownInline, normalType, typesAgree } from './media-types.ts'
import { sniffText } from './sniff-text.ts'
import { HEAD_BYTES, sniffDimensions, sniffType } from './sniff-type.ts'

const sniff = (content: string | Buffer) => sniffType(Buffer.from(content), content.length)

/** The first bytes of files as the tools make them. */
const MAGIC: readonly (readonly [hex: string, type: string])[] = [
  ['89504e470d0a1a0a0000000d494844520000000500000003080200000000000000', 'image/png'],
  ['ffd8ffe000104a46494600010100000100010000', 'image/jpeg'],
  ['4749463839610100010080ff00ffffff00000021f9', 'image/gif'],
  ['524946462400000057415645666d742010000000', 'audio/wav'],
  ['664c614300000022', 'audio/flac'],
  ['494433030000000000210000', 'audio/mpeg'],
  ['0000001c667479706d703432000000006d70343269736f6d', 'video/mp4'],
  ['255044462d312e340affd8', 'application/pdf'],
  ['504b0304140000000800', 'application/zip'],
  ['0000001c667479704d34562000000001', 'video/mp4'],
  ['52463634ffffffff5741564564733634', 'audio/wav'],
  // The directory of an uncompressed picture comes after the picture, far beyond the examined bytes.
  ['49492a0008001000', 'image/tiff'],
  ['4d4d002a00100008', 'image/tiff'],
  ['894d434150300d0a', 'application/octet-stream'],
  ['00', 'application/octet-stream'],
  ['fffe68006900', 'application/octet-stream'],
]

test('known beginnings determine their type', async () => {
  for (const [hex, type] of MAGIC) assert.equal(await sniff(Buffer.from(hex, 'hex')), type, hex)
})

test('text is distinguished from markup by its beginning', async () => {
  const cases: readonly [string, string][] = [
    ['2026-01-31 agent: started\n', 'text/plain'],
    ['\u001b[31mred\u001b[0m', 'text/plain'],
    ['BM25 is a ranking', 'text/plain'],
    ['GIF89a is how it begins', 'text/plain'],
    ['{"a":1}', 'text/plain'],
    ['<34>Oct 11 22:14:15 host', 'text/plain'],
    ['a < b', 'text/plain'],
    ['<!DOCTYPE html><p>', 'text/html'],
    ['\ufeff \n<HTML>', 'text/html'],
    ['<!-- x --><script>', 'text/html'],
    ['<!-- never ends', 'text/html'],
    ['<img src=x onerror=alert(1)>', 'text/html'],
    ['<?xml version="1.0"?><!-- x --><svg xmlns="…">', 'image/svg+xml'],
    ['<SVG onload=alert(1)>', 'image/svg+xml'],
    ['<s:svg xmlns:s="http://www.w3.org/2000/svg">', 'image/svg+xml'],
    ['<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN">', 'image/svg+xml'],
    ['<?xml version="1.0"?><html xmlns="…">', 'application/xhtml+xml'],
    ['<?xml version="1.0"?><note/>', 'application/xml'],
    ['<note>', 'application/xml'],
    ['%PDF-1.4\n', 'application/pdf'],
    ['%!PS-Adobe', 'application/postscript'],
  ]
  for (const [content, type] of cases) assert.equal(await sniff(content), type, content)
})

test('a character that is cut at the end of the examined bytes does not make text binary', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), fc.nat(), (text, cut) => {
      const clean = `x${text.replaceAll(/[\p{Cc}<%{]/gu, 'y')}`
      const bytes = Buffer.from(clean)
      assert.equal(sniffText(bytes.subarray(0, Math.max(1, cut % bytes.length)), false), 'text/plain')
    }),
  )
})

test('binary data is never text, and all bytes have some type', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (bytes) => {
      const head = Buffer.from(bytes)
      const type = await sniffType(head, head.length)
      assert.match(type, /^[a-z]+\/[\w.+-]+$/)
      if (head.includes(0)) assert.notEqual(type, 'text/plain')
      sniffDimensions(head, 'image/png')
    }),
  )
})

test('dimensions are those of the image, and null if there are none', () => {
  const png = Buffer.from((MAGIC[0] as readonly [string, string])[0], 'hex')
  assert.deepEqual(sniffDimensions(png, 'image/png'), { width: 5, height: 3 })
  assert.equal(sniffDimensions(png, 'text/plain'), null)
  assert.equal(sniffDimensions(png.subarray(0, 18), 'image/png'), null)
  assert.equal(sniffDimensions(Buffer.alloc(HEAD_BYTES), 'image/jpeg'), null)
})

test('names of one type match, and only safe types that match are shown', () => {
  assert.equal(normalType(' Audio/X-WAV; codecs=1'), 'audio/wav')
  assert.ok(typesAgree('image/jpg', 'image/jpeg'))
  assert.ok(typesAgree('audio/webm;codecs=opus', 'video/webm'))
  assert.ok(typesAgree('application/json', 'text/plain'))
  assert.ok(!typesAgree('application/octet-stream', 'image/png'))
  assert.ok(!typesAgree('text/javascript', 'text/plain'))
  assert.ok(isShownInline('image/png', 'image/png'))
  assert.ok(!isShownInline('image/png', null))
  for (const type of ['text/html', 'image/svg+xml', 'application/pdf', 'application/xml']) {
    assert.ok(!isShownInline(type, type), type)
  }
  assert.ok(isContradicted('image/png', 'text/html'))
  assert.ok(!isContradicted('application/x-mcap', 'application/octet-stream'))
})

test('text in another encoding, with a bell or with markup in front contradicts no text type', () => {
  for (const found of ['application/octet-stream', 'application/xml', 'text/html', 'image/svg+xml']) {
    assert.ok(!isContradicted('text/plain; charset=iso-8859-1', found), found)
    assert.ok(!isShownInline(found, 'text/plain'), found)
  }
  for (const found of ['image/png', 'video/mp4', 'application/pdf', 'application/zip']) {
    assert.ok(isContradicted('text/plain', found), found)
  }
  assert.ok(isContradicted('video/mp4', 'application/octet-stream'))
})
