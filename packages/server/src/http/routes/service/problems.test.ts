import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import { ERROR_CODES, ERRORS } from '@spoor/contract/errors'
import { createHttpWorld } from '../../test-world/http-world.test-support.ts'
import { TRANSPORTS } from '../../test-world/transports.test-support.ts'

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

for (const [name, connect] of Object.entries(TRANSPORTS)) {
  test(`${name}: the type of a problem leads to its page, for programs and for browsers`, async () => {
    const send = await connect(createHttpWorld().app)
    const refused = await send({ path: '/v1/traces' })
    const { type, title, status, code } = refused.json()
    const found = await send({ path: type })
    assert.equal(found.status, 200)
    const { meaning, remedy, ...rest } = found.json()
    assert.deepEqual(rest, { type, code, title, status })
    assert.ok(meaning.length > 20 && remedy.length > 20)
    const page = await send({ path: type, headers: { accept: BROWSER } })
    assert.deepEqual([page.status, page.headers['content-type']], [200, 'text/html; charset=utf-8'])
    assert.ok(page.text.includes('<code>unauthorized</code> · HTTP status 401'))
    assert.ok(page.text.includes('<code>x-api-key</code>'))
  })

  test(`${name}: every code has a page, and the list has every code`, async () => {
    const send = await connect(createHttpWorld().app)
    const { problems } = (await send({ path: '/problems' })).json()
    assert.deepEqual(
      problems.map(({ code, status }: { code: string; status: number | null }) => [code, status]),
      ERROR_CODES.map((code) => [code, ERRORS[code].status]),
    )
    const list = (await send({ path: '/problems', headers: { accept: BROWSER } })).text
    for (const code of ERROR_CODES) {
      assert.equal((await send({ path: `/problems/${code}` })).json().code, code)
      assert.ok(list.includes(`href="/problems/${code}"`), code)
    }
    for (const code of ['nothing', 'constructor', '__proto__']) {
      assert.deepEqual([(await send({ path: `/problems/${code}` })).status], [404], code)
    }
  })
}

test('the policy of a page allows only its own style', async () => {
  const send = await TRANSPORTS['memory']!(createHttpWorld().app)
  const page = await send({ path: '/problems/not_found', headers: { accept: BROWSER } })
  const style = /<style>(.*)<\/style>/s.exec(page.text)?.[1] ?? ''
  const policy = String(page.headers['content-security-policy'])
  assert.ok(policy.startsWith(`default-src 'none'; style-src 'sha256-${hash('sha256', style, 'base64')}'`), policy)
})
