import assert from 'node:assert/strict'
import { test } from 'node:test'
import { greeting } from './greeting.ts'

const SERVICE = {
  url: 'http://localhost:1',
  projectId: 'proj_1',
  firstKey: null,
  signInToken: null,
  firstStart: false,
} as const

test('the first start names the project, and the key if it generated one', () => {
  const first = {
    ...SERVICE,
    firstStart: true,
    firstKey: 'spoor_x',
    signInToken: 'once',
    bootstrapKey: 'not_given',
  } as const
  assert.deepEqual(greeting(first, './data').slice(0, 4), [
    'spoor ready at http://localhost:1',
    '  dashboard: http://localhost:1/#sign-in=once',
    '  project:  proj_1',
    '  API key:  spoor_x',
  ])
  const given = greeting({ ...SERVICE, firstStart: true, bootstrapKey: 'added' }, './data').join('\n')
  assert.match(
    given,
    /^spoor ready at http:\/\/localhost:1\n {2}dashboard: http:\/\/localhost:1\/\n {2}project: {2}proj_1\n/,
  )
  assert.doesNotMatch(given, /API key: {2}/)
})

test('a later start says how to get another key, and when the given one does not work any more', () => {
  const later = greeting({ ...SERVICE, bootstrapKey: 'known' }, './data').join('\n')
  assert.match(later, /another API key/)
  assert.doesNotMatch(later, /project:|SPOOR_BOOTSTRAP_KEY/)
  for (const bootstrapKey of ['revoked', 'expired'] as const) {
    const text = greeting({ ...SERVICE, bootstrapKey }, './data').join('\n')
    assert.ok(text.includes(`SPOOR_BOOTSTRAP_KEY is ${bootstrapKey}`), text)
  }
})

test('a start on data that was moved says so', () => {
  const moved = greeting({ ...SERVICE, bootstrapKey: 'known', movedAt: '2026-11-27T04:00:00.000Z' }, './data').join(
    '\n',
  )
  assert.match(moved, /WARNING: this data was moved to a cluster on 2026-11-27T04:00:00\.000Z\./)
  assert.doesNotMatch(greeting({ ...SERVICE, bootstrapKey: 'known' }, './data').join('\n'), /WARNING/)
})

test('the command for another key names the folder of the data, unless it is the default', () => {
  const commandFor = (dataDir: string) =>
    /npx spoor keys create.*/.exec(greeting({ ...SERVICE, bootstrapKey: 'known' }, dataDir).join('\n'))?.[0]
  assert.equal(commandFor('./data'), 'npx spoor keys create --name NAME')
  assert.equal(commandFor('/srv/traces'), 'npx spoor keys create --name NAME --data-dir /srv/traces')
  assert.equal(commandFor("it's here"), String.raw`npx spoor keys create --name NAME --data-dir 'it'\''s here'`)
})
