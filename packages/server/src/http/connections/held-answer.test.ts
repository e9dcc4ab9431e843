import assert from 'node:assert/strict'
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import type { StepId } from '@spoor/contract/ids'
import type { FastifyReply } from 'fastify'
import { ByteBudget } from '../../lib/flow/byte-budget.ts'
import { ByteGate } from '../../lib/flow/byte-gate.ts'
import type { LineVerdict } from '../../traces/use-cases.ts'
import { sendHeldJson } from './held-answer.ts'
import { LineInput } from '../bodies/line-input.ts'
import { ClientGone } from '../bodies/request-body.ts'
import { toLineResult } from '../../wire/to-wire.ts'
import { collectVerdicts } from '../bodies/verdict-collector.ts'

/** A reply with its own response; `sent` is the payload. */
function createReply() {
  const raw = new ServerResponse(new IncomingMessage(new Socket()))
  const sent: (string | Readable)[] = []
  const headers = { code: () => reply, type: () => reply, header: () => reply }
  const reply = { raw, ...headers, send: (body: string | Readable) => (sent.push(body), reply) }
  return { raw, sent, reply: reply as unknown as FastifyReply }
}

async function close(raw: ServerResponse): Promise<void> {
  raw.destroy()
  await new Promise((resolve) => setImmediate(resolve))
}

test('a page is charged until its response closes', async () => {
  const answers = new ByteGate(100)
  const { raw, sent, reply } = createReply()
  await sendHeldJson(reply, answers, async () => '{"a":1}')
  assert.deepEqual([sent, answers.usedBytes], [['{"a":1}'], 7])
  await close(raw)
  assert.equal(answers.usedBytes, 0)
})

test('a client that disconnects while it waits is not charged, and nothing is read for it', async () => {
  const answers = new ByteGate(1)
  const others = await answers.acquire(1)
  const { raw, reply } = createReply()
  const waiting = sendHeldJson(reply, answers, () => Promise.reject(new Error('must not be read')))
  await close(raw)
  others.release()
  await assert.rejects(waiting, ClientGone)
  assert.equal(answers.usedBytes, 0)
})

test('collected verdicts are charged until the client has taken them', async () => {
  const budget = new ByteBudget(1000)
  const { raw, sent, reply } = createReply()
  const print = async (batch: readonly LineVerdict[]) =>
    batch.map((line) => `${JSON.stringify(toLineResult(line))},`).join('')
  const verdict: LineVerdict = { line: 1, status: 'created', stepId: 'st_x' as StepId }
  async function* judged() {
    yield [verdict]
  }
  await collectVerdicts(reply, judged(), print, budget.account('project'), new LineInput(10))
  assert.equal(JSON.parse(await text(sent[0] as Readable)).results.length, 1)
  assert.ok(budget.usedBytes > 0)
  await close(raw)
  assert.equal(budget.usedBytes, 0)
})
