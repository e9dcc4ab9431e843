import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { endOf } from '../lib/command.ts'
import type { Service } from '../lib/service.ts'
import { killAndResend, startAtFixedPort } from './kill-and-resend.ts'
import { PythonPackage } from './python-package.ts'

/** One kill of the agent, and one of the service too. */
const ROUNDS = 2

const python = PythonPackage.build()
const skip = typeof python === 'string' ? python : false

describe('the Python recorder, installed from its wheel', { skip }, () => {
  let service: Service

  before(async () => {
    service = await startAtFixedPort()
  })

  after(async () => {
    await service[Symbol.asyncDispose]()
    installed()[Symbol.dispose]()
  })

  test('the wheel and the sdist are built without network', () => {
    assert.deepEqual(installed().built, ['spoor-0.1.0-py3-none-any.whl', 'spoor-0.1.0.tar.gz'])
  })

  test('pip installs it from the tree without a network, and what it installed sends a trace', async (context) => {
    const target = join(installed().folder, 'by-pip')
    const options = ['--no-index', '--no-deps', '--no-cache-dir', '--disable-pip-version-check', '--target', target]
    if (spawnSync('python3', ['-m', 'pip', '--version']).status !== 0) return context.skip('there is no pip')
    const pip = spawnSync('python3', ['-m', 'pip', 'install', ...options, installed().source], { encoding: 'utf8' })
    assert.equal(pip.status, 0, pip.stdout + pip.stderr)
    const program = 'import spoor\nwith spoor.trace("by pip"): pass\nassert spoor.flush().ok'
    const env = installed().environment({ SPOOR_URL: service.url, SPOOR_API_KEY: service.key, PYTHONPATH: target })
    const ran = await endOf(spawn('python3', ['-c', program], { cwd: installed().folder, env }))
    assert.equal(ran.code, 0, ran.error)
    const { traces } = (await service.client.get('/v1/traces')).json<{ traces: { name: string }[] }>()
    assert.ok(traces.some(({ name }) => name === 'by pip'))
  })

  test('its types hold, where there is mypy', (context) => {
    const { status, stdout, error } = spawnSync('mypy', ['--cache-dir', join(installed().folder, 'mypy')], {
      cwd: installed().source,
      encoding: 'utf8',
    })
    if (error !== undefined) return context.skip('mypy is not installed: apt-get install mypy')
    assert.equal(status, 0, stdout)
  })

  test('the tests of the package pass against a stand-in and against the service', async () => {
    const env = installed().environment({ SPOOR_URL: service.url, SPOOR_API_KEY: service.key })
    const { code, error } = await endOf(
      spawn('python3', ['-m', 'unittest', 'discover', '-s', join(installed().source, 'tests')], { env }),
    )
    assert.equal(code, 0, error)
    assert.match(error, /^OK$/m)
  })

  test('what is acknowledged is stored once, with kill -9 of the agent and of the service', async () => {
    await killAndResend(service, installed(), ROUNDS)
  })
})

function installed(): PythonPackage {
  assert.ok(typeof python !== 'string')
  return python
}
