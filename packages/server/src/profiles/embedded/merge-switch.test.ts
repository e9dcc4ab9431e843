import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLogger } from '../../operation/logging.ts'
import { MergeSwitch } from './merge-switch.ts'

test('merges stop while the disk is full, but not while deleted traces are being removed', async () => {
  const commands: string[] = []
  const merges = new MergeSwitch(
    {
      command: async (sql) => {
        commands.push(sql)
        if (commands.length === 1) throw new Error('not now')
      },
    },
    createLogger('silent'),
  )
  merges.setPurging(true)
  merges.setPurging(false)
  merges.setDiskFull(true)
  merges.setDiskFull(true)
  merges.setPurging(true)
  merges.setPurging(false)
  merges.setPurging(true)
  merges.setDiskFull(false)
  merges.setPurging(false)
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(commands, ['SYSTEM STOP MERGES', 'SYSTEM START MERGES', 'SYSTEM STOP MERGES', 'SYSTEM START MERGES'])
})
