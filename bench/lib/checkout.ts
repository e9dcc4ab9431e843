import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, readlinkSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const SCOPE = '@spoor'

/**
 * Writes the files of a commit into a new folder and gives them packages: links to this checkout's if the commit needs
 * the same third-party packages, otherwise its own by `npm install`. `commit` is anything that `git rev-parse` accepts.
 */
export function checkOut(commit: string, folder: string): void {
  mkdirSync(folder)
  const archive = execFileSync('git', ['archive', '--format=tar', commit], { cwd: ROOT, maxBuffer: 2 ** 30 })
  execFileSync('tar', ['-x', '-C', folder], { input: archive })
  if (thirdParty(ROOT) === thirdParty(folder)) linkPackages(folder)
  else installPackages(folder)
  const dashboard = 'packages/dashboard/dist'
  if (existsSync(join(ROOT, dashboard))) cpSync(join(ROOT, dashboard), join(folder, dashboard), { recursive: true })
  // Commits before this script run from their sources.
  const build = join(folder, 'scripts/build.mjs')
  if (existsSync(build)) execFileSync(process.execPath, [build, '--quiet'], { stdio: ['ignore', 'inherit', 'inherit'] })
}

/** As the service installs itself: `npm ci` refuses lock files that do not name the packages of every platform. */
function installPackages(folder: string): void {
  const parameters = ['install', '--no-save', '--no-audit', '--no-fund']
  execFileSync('npm', parameters, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
}

/** Links everything in node_modules except the project's own packages, which the folder has itself. */
function linkPackages(folder: string): void {
  const from = join(ROOT, 'node_modules')
  const to = join(folder, 'node_modules')
  mkdirSync(join(to, SCOPE), { recursive: true })
  for (const name of readdirSync(from)) if (name !== SCOPE) symlinkSync(join(from, name), join(to, name))
  for (const name of readdirSync(join(from, SCOPE))) {
    symlinkSync(readlinkSync(join(from, SCOPE, name)), join(to, SCOPE, name))
  }
}

/** Names and versions in the lock file, without the project's own packages. */
function thirdParty(root: string): string {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly version?: string; readonly link?: boolean }>>
  }
  return Object.entries(packages)
    .filter(([path, { link }]) => path.includes('node_modules/') && link !== true)
    .map(([path, { version }]) => `${path} ${version}`)
    .join('\n')
}
