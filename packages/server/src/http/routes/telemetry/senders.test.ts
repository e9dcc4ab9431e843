import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createHttpWorld } from '../../test-world/http-world.test-support.ts'
import { TRANSPORTS } from '../../test-world/transports.test-support.ts'

for (const [name, connect] of Object.entries(TRANSPORTS)) {
  describe(`senders over ${name}`, () => {
    async function openWorld() {
      const world = createHttpWorld()
      const send = await connect(world.app)
      return { ...world, ask: (key: string) => send({ path: '/v1/senders', headers: { 'x-api-key': key } }) }
    }

    test('what came from a sender, and what to set', async () => {
      const { ask, senderCounts } = await openWorld()
      const of = { scope: 'ai', version: '5.0' }
      senderCounts.push(
        { ...of, marks: [{ kind: 'billed', attribute: null }], model: 'unpriced', steps: 3 },
        {
          ...of,
          marks: [
            { kind: 'other', attribute: null },
            { kind: 'content', attribute: 'my.answer' },
          ],
          model: '',
          steps: 1,
        },
      )
      const answer = await ask('reader')
      assert.equal(answer.status, 200)
      assert.deepEqual(answer.json(), {
        senders: [
          {
            ...of,
            spans: 4,
            share_other: 0.25,
            not_understood: 1,
            without_tokens: 0,
            without_price: 3,
            without_arguments: 0,
            without_text: 0,
            advice: [
              { kind: 'price', attribute: 'unpriced', count: 3 },
              { kind: 'content', attribute: 'my.answer', count: 1 },
            ],
          },
        ],
        complete: true,
      })
      assert.deepEqual((await ask('foreign')).json(), { senders: [], complete: true })
    })

    test('a key needs the scope read', async () => {
      const { ask } = await openWorld()
      assert.equal((await ask('writer')).status, 403)
    })
  })
}
