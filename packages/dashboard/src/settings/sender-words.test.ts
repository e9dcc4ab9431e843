import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { ADVICE_KINDS } from '@spoor/contract/senders'
import { ADVICE_WORDS } from './sender-words.ts'

const guide = (page: string) => new URL(`../../../../docs/guide/${page}`, import.meta.url)

test('every kind of advice has words, and its page of the guide exists', () => {
  assert.deepEqual(Object.keys(ADVICE_WORDS).sort(), Object.keys(ADVICE_KINDS).sort())
  for (const { guide: page } of Object.values(ADVICE_WORDS)) assert.ok(existsSync(guide(page)), page)
})

test('the guide says what each kind means', () => {
  const page = readFileSync(guide('senders.md'), 'utf8')
  for (const kind of Object.keys(ADVICE_KINDS)) assert.ok(page.includes(`\`${kind}\``), kind)
})
