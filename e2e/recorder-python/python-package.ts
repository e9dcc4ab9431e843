import assert from 'node:assert/strict'
import { type SpawnSyncReturns, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const PACKAGE = fileURLToPath(new URL('../../packages/sdk-python', import.meta.url))

/** The wheel of `packages/sdk-python`, built and unpacked into an empty folder, where nothing else is. */
export class PythonPackage {
  readonly folder = mkdtempSync(join(tmpdir(), 'spoor-python-'))
  readonly source = PACKAGE
  readonly built: readonly string[]

  private constructor() {
    assertRan(spawnSync('python3', ['build_backend.py', join(this.folder, 'dist')], { cwd: PACKAGE }))
    this.built = readdirSync(join(this.folder, 'dist')).sort()
    const wheel = this.built.find((name) => name.endsWith('.whl'))
    assert.ok(wheel !== undefined)
    assertRan(spawnSync('python3', ['-m', 'zipfile', '-e', join(this.folder, 'dist', wheel), this.installed]))
  }

  /** The reason if there is no Python; in CI an error. */
  static build(): PythonPackage | string {
    const found = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 10))'])
    if (found.status === 0) return new PythonPackage()
    const advice = 'the Python recorder needs Python 3.10 or later: install the package python3'
    if (process.env['CI'] === 'true') throw new Error(advice)
    return advice
  }

  get installed(): string {
    return join(this.folder, 'installed')
  }

  /** For a program that imports it. Bytecode is not written into the repository. */
  environment(settings: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
    const own = Object.entries(process.env).filter(([name]) => !name.startsWith('SPOOR_'))
    const paths = { PYTHONPATH: this.installed, PYTHONDONTWRITEBYTECODE: '1' }
    return { ...Object.fromEntries(own), ...paths, ...settings }
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}

function assertRan({ status, stderr }: SpawnSyncReturns<Buffer>): void {
  assert.equal(status, 0, String(stderr))
}
