import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createLogger } from '../../operation/logging.ts'
import { temporaryFolder } from '../../storage/sql/temporary-store.test-support.ts'
import { Losses } from './losses.ts'

test('a loss that only one start can find is reported by each start until it is accepted, once', (context) => {
  const dataDir = temporaryFolder(context)
  const environment = { dataDir, clock: { now: () => 0 }, logger: createLogger('silent') }
  const first = new Losses(environment, false)
  first.add('A part is gone.')
  first.addFleeting('Changes are gone.')
  assert.throws(() => first.settle(), /A part is gone\.\n.*Changes are gone\./)
  const second = new Losses(environment, false)
  second.addFleeting('Changes are gone.')
  assert.throws(
    () => second.settle(),
    (error: Error) => error.message.split('Changes are gone.').length === 2,
  )
  const accepting = new Losses(environment, true)
  accepting.settle()
  assert.deepEqual(JSON.parse(readFileSync(join(dataDir, 'accepted-losses.jsonl'), 'utf8')), {
    at: '1970-01-01T00:00:00.000Z',
    losses: ['Changes are gone.'],
  })
  assert.ok(!existsSync(join(dataDir, 'named-losses.txt')))
  new Losses(environment, false).settle()
})
