import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parsePostgresqlUrl } from './parse-postgresql-url.ts'

for (const [text, password] of [
  ['se@cret', 'se@cret'],
  ['a@b@c:d', 'a@b@c:d'],
  ['se%40cret', 'se@cret'],
] as const) {
  test(`the password ${text} is no part of the hosts, which logs show`, () => {
    const address = parsePostgresqlUrl(`postgresql://spoor:${text}@first:5433,second/traces`)
    assert.deepEqual(address.hosts, [
      { host: 'first', port: 5433 },
      { host: 'second', port: 5432 },
    ])
    assert.equal(address.password(), password)
  })
}

test('a pooler is one only with the parameter, and nothing but true or false is taken', () => {
  const isPooled = (parameters: string) => parsePostgresqlUrl(`postgresql://spoor:x@host/traces${parameters}`).isPooled
  assert.equal(isPooled(''), false)
  assert.equal(isPooled('?pgbouncer=false'), false)
  assert.equal(isPooled('?connect_timeout=3&pgbouncer=true'), true)
  assert.throws(() => isPooled('?pgbouncer=yes'), /has a pgbouncer that does not match/)
})
