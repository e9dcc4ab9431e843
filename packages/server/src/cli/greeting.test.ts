import assert from 'node:assert/strict'
import { test } from 'node:test'
import { greeting } from './greeting.ts'

const SERVICE = { url: 'http://localhost:1', projectId: 'proj_1', firstKey: null, firstStart: false } as const

test('the first start names the project, and the key when one was made up', () => {
  const made = greeting({ ...SERVICE, firstStart: true, firstKey: 'spoor_x', bootstrapKey: 'not_given' }).join('\n')
  assert.match(made, /^spoor ready at http:\/\/localhost:1\n {2}project: {2}proj_1\n {2}API key: {2}spoor_x\n/)
  const given = greeting({ ...SERVICE, firstStart: true, bootstrapKey: 'added' }).join('\n')
  assert.match(given, /^spoor ready at http:\/\/localhost:1\n {2}project: {2}proj_1\n/)
  assert.doesNotMatch(given, /API key: {2}/)
})

test('a later start says how to get another key, and when the given one does not work any more', () => {
  const later = greeting({ ...SERVICE, bootstrapKey: 'known' }).join('\n')
  assert.match(later, /another API key/)
  assert.doesNotMatch(later, /project:|SPOOR_BOOTSTRAP_KEY/)
  for (const bootstrapKey of ['revoked', 'expired'] as const) {
    const text = greeting({ ...SERVICE, bootstrapKey }).join('\n')
    assert.ok(text.includes(`SPOOR_BOOTSTRAP_KEY is ${bootstrapKey}`), text)
  }
})
