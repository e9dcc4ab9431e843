import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ServiceUnderTest, startService } from './service.ts'

interface CallFrame {
  readonly functionName: string
  readonly url: string
  readonly lineNumber: number
}

interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number
    readonly callFrame: CallFrame
  }[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

const FUNCTIONS_SHOWN = 30
const FILES_SHOWN = 20

/** Runs the service under node's profiler while `work` loads it, and prints where its main thread spends its time. */
export async function profileService(
  folder: string,
  title: string,
  work: (service: ServiceUnderTest) => Promise<void>,
): Promise<void> {
  const service = await startService({
    dataDir: join(folder, 'service'),
    nodeFlags: ['--cpu-prof', `--cpu-prof-dir=${folder}`],
  })
  await work(service)
  await service.stop()
  const file = readdirSync(folder).find((name) => name.endsWith('.cpuprofile'))
  if (file === undefined) throw new Error('node wrote no profile')
  print(title, JSON.parse(readFileSync(join(folder, file), 'utf8')) as CpuProfile)
}

function print(title: string, { nodes, samples, timeDeltas }: CpuProfile): void {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]))
  const byFunction = new Map<string, number>()
  const byFile = new Map<string, number>()
  const add = (times: Map<string, number>, name: string, time: number) => times.set(name, (times.get(name) ?? 0) + time)
  samples.forEach((id, index) => {
    const frame = frames.get(id)!
    const { functionName, url, lineNumber } = frame
    const time = timeDeltas[index] ?? 0
    const file = fileOf(frame)
    add(byFile, file, time)
    const place = url === '' ? '' : ` ${file}:${lineNumber + 1}`
    add(byFunction, `${functionName || '(anonymous)'}${place}`, time)
  })
  const total = timeDeltas.reduce((sum, time) => sum + time, 0)
  for (const [what, times, shown] of [
    ['functions', byFunction, FUNCTIONS_SHOWN],
    ['files', byFile, FILES_SHOWN],
  ] as const) {
    console.log(`\n  ${title}: ${what} by their own share of ${(total / 1e6).toFixed(1)} s of the main thread`)
    const sorted = [...times].sort(([, a], [, b]) => b - a).slice(0, shown)
    for (const [name, time] of sorted) console.log(`  ${((100 * time) / total).toFixed(1).padStart(5)}%  ${name}`)
  }
}

/** The path from the package on; native functions and node's own states have names of their own. */
function fileOf({ functionName, url }: CallFrame): string {
  return url === '' ? functionName || '(native)' : url.replace(/^.*\/(node_modules|packages)\//, '')
}
