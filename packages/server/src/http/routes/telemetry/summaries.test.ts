import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { EMPTY_DIGEST } from '../../../traces/rules/trace-digest.ts'
import { traceRecord } from '../../../traces/trace-builders.test-support.ts'
import { createHttpWorld } from '../../test-world/http-world.test-support.ts'
import { TRANSPORTS } from '../../test-world/transports.test-support.ts'

const HOSTILE = 'a/b?c#d %2F "é" 東京 🜁'
const TOKENS = { input: 10, output: 5, cacheRead: 4, cacheWrite: 1, reasoning: 2 }

for (const [name, connect] of Object.entries(TRANSPORTS)) {
  describe(`sessions and users over ${name}`, () => {
    async function openWorld() {
      const { app, traces, summed, ids, ownProject, foreignProject } = createHttpWorld()
      const add = (fields: Parameters<typeof traceRecord>[1], model: string) => {
        const trace = traceRecord(ids.newId('tr'), { projectId: ownProject, ...fields })
        summed.add([{ ...trace, digest: { ...EMPTY_DIGEST, usage: [{ model, tokens: trace.tokenUsage }] } }])
      }
      const send = await connect(app)
      const ask = (path: string, key = 'own') => send({ path, headers: { 'x-api-key': key } })
      return { add, ask, traces, foreignProject }
    }

    test('a session and a user are shown with what their traces amount to', async () => {
      const { add, ask, foreignProject } = await openWorld()
      const createdAt = Date.UTC(2026, 2, 1)
      add({ sessionId: 's', userId: 'u', stepCount: 1, tokenUsage: TOKENS, createdAt }, 'm')
      add({ sessionId: 's', userId: 'v', stepCount: 2, status: 'error', createdAt: createdAt + 1000 }, 'm')
      add({ sessionId: 'free', userId: 'u', stepCount: 4, tokenUsage: TOKENS, createdAt: createdAt + 2000 }, 'unpriced')
      add({ sessionId: 'theirs', projectId: foreignProject }, 'm')
      const page = await ask('/v1/sessions')
      const token_usage = { input: 10, output: 5, total: 15, cache_read: 4, cache_write: 1, reasoning: 2 }
      const s = {
        session_id: 's',
        first_at: '2026-03-01T00:00:00.000Z',
        last_at: '2026-03-01T00:00:01.000Z',
        trace_count: 2,
        step_count: 3,
        error_count: 1,
        user_ids: ['u', 'v'],
        token_usage,
        cost_usd: 0.015,
        mean_duration_ms: null,
      }
      const free = { ...s, session_id: 'free', trace_count: 1, step_count: 4, error_count: 0, user_ids: ['u'] }
      const at = '2026-03-01T00:00:02.000Z'
      assert.deepEqual(page.json(), {
        sessions: [{ ...free, first_at: at, last_at: at, cost_usd: null }, s],
        next_cursor: null,
      })
      const users = (await ask('/v1/users?session_id=s')).json()
      assert.deepEqual(
        users.users.map((user: Record<string, unknown>) => [user['user_id'], user['session_count'], user['cost_usd']]),
        [
          ['v', 1, 0],
          ['u', 1, 0.015],
        ],
      )
      const one = (await ask('/v1/users/u')).json()
      assert.deepEqual([one.user.session_count, one.user.trace_count, one.user.step_count], [2, 2, 5])
      assert.deepEqual((await ask('/v1/sessions', 'foreign')).json().sessions.length, 1)
    })

    test('pages continue by a cursor, which belongs to its filters; new activity does not disturb it', async () => {
      const { add, ask } = await openWorld()
      for (const [createdAt, sessionId] of ['a', 'b', 'c', 'a'].entries()) add({ sessionId, createdAt }, 'm')
      const first = (await ask('/v1/sessions?limit=2')).json()
      assert.deepEqual(idsOf(first), ['a', 'c'])
      add({ sessionId: 'b', createdAt: 4 }, 'm')
      add({ sessionId: 'a', createdAt: 5 }, 'm')
      const second = (await ask(`/v1/sessions?limit=2&cursor=${first.next_cursor}`)).json()
      assert.deepEqual([idsOf(second), second.next_cursor], [['b'], null])
      assert.equal(second.sessions[0].trace_count, 1)
      assert.deepEqual(idsOf((await ask('/v1/sessions')).json()), ['a', 'b', 'c'])
      for (const path of [
        `/v1/users?cursor=${first.next_cursor}`,
        `/v1/sessions?status=error&cursor=${first.next_cursor}`,
        `/v1/sessions?sort=cost_usd&cursor=${first.next_cursor}`,
        '/v1/sessions?cursor=x',
      ]) {
        assert.equal((await ask(path)).json().code, 'invalid_cursor', path)
      }
    })

    test('sessions and users are sorted by their fields', async () => {
      const { add, ask } = await openWorld()
      add({ sessionId: 'a', stepCount: 9, tokenUsage: TOKENS, createdAt: 0 }, 'unpriced')
      add({ sessionId: 'b', status: 'error', createdAt: 1, ownStartedAt: 0, ownEndedAt: 4 }, 'm')
      add(
        {
          sessionId: 'c',
          stepCount: 2,
          tokenUsage: { ...TOKENS, input: 6 },
          createdAt: 2,
          ownStartedAt: 0,
          ownEndedAt: 5,
        },
        'm',
      )
      add({ sessionId: 'b', createdAt: 3, ownStartedAt: 0, ownEndedAt: 7 }, 'm')
      const sorted = {
        'sort=last_at&order=asc': ['a', 'c', 'b'],
        'sort=trace_count': ['b', 'a', 'c'],
        'sort=step_count': ['a', 'c', 'b'],
        'sort=error_count': ['b', 'a', 'c'],
        'sort=total_tokens&order=asc': ['b', 'c', 'a'],
        'sort=cost_usd': ['c', 'b', 'a'],
        'sort=mean_duration_ms': ['b', 'c', 'a'],
      }
      for (const [query, expected] of Object.entries(sorted)) {
        const walked: string[] = []
        for (let cursor = ''; walked.length < 3;) {
          const page = (await ask(`/v1/sessions?${query}&limit=1${cursor}`)).json()
          walked.push(...idsOf(page))
          cursor = `&cursor=${page.next_cursor}`
        }
        assert.deepEqual(walked, expected, query)
      }
    })

    test('one is found by any id, percent-encoded, with its traces by time', async () => {
      const { add, ask, traces } = await openWorld()
      add({ sessionId: HOSTILE, userId: HOSTILE }, 'm')
      const session = await ask(`/v1/sessions/${encodeURIComponent(HOSTILE)}?limit=3`)
      assert.equal(session.json().session.session_id, HOSTILE)
      assert.deepEqual(Object.keys(session.json()), ['session', 'traces', 'next_cursor'])
      const { sessionId, userId, order, limit } = traces.lastQuery!
      assert.deepEqual(
        { sessionId, userId, order, limit },
        { sessionId: HOSTILE, userId: null, order: 'asc', limit: 3 },
      )
      assert.equal((await ask(`/v1/users/${encodeURIComponent(HOSTILE)}`)).json().user.user_id, HOSTILE)
      assert.deepEqual([traces.lastQuery!.userId, traces.lastQuery!.order], [HOSTILE, 'desc'])
      for (const path of ['/v1/sessions/none', '/v1/users/none', `/v1/sessions/${'x'.repeat(1001)}`]) {
        assert.equal((await ask(path)).json().code, 'not_found', path)
      }
      assert.equal((await ask(`/v1/sessions/${encodeURIComponent(HOSTILE)}`, 'foreign')).status, 404)
    })

    test('refuses what lists of traces refuse, and keys that cannot read', async () => {
      const { ask } = await openWorld()
      for (const path of [
        '/v1/sessions?sort=created_at',
        '/v1/users?order=up',
        '/v1/sessions?q=%20',
        '/v1/users/u?x=1',
      ]) {
        const answer = await ask(path)
        assert.deepEqual([answer.status, answer.json().code], [422, 'validation_failed'], path)
      }
      assert.equal((await ask('/v1/sessions', 'writer')).status, 403)
    })
  })
}

function idsOf(page: { readonly sessions: readonly { readonly session_id: string }[] }): readonly string[] {
  return page.sessions.map(({ session_id }) => session_id)
}
