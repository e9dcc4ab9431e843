import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { loadConfig } from '../config.ts'
import { createLogger } from '../operation/logging.ts'
import { startService } from './embedded.ts'

test('a service whose port is taken creates nothing, names the process that has it and leaves no timer running', async (context) => {
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  const parent = mkdtempSync(join(tmpdir(), 'spoor-start-'))
  const dataDir = join(parent, 'data')
  context.after(() => {
    other.close()
    rmSync(parent, { recursive: true, force: true })
  })
  const { port } = other.address() as AddressInfo
  const config = loadConfig({}, ['--data-dir', dataDir, '--host', '127.0.0.1', '--port', String(port)])
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  const before = timers()
  await assert.rejects(startService(config, createLogger('silent'), 'test'), {
    name: 'OperatorError',
    message: new RegExp(
      `^127.0.0.1:${port} is in use by process ${process.pid} \\(node.*\\)\\. Stop what listens there, or choose another port with --port`,
    ),
  })
  assert.equal(existsSync(dataDir), false)
  assert.equal(timers(), before)
})
