import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'

/** The kernel's clock ticks in /proc, per second: 100 on every platform that has /proc. */
const TICKS_PER_SECOND = 100

/** Measures how much of the machine other processes used during a bench. A figure means little without it. */
export class MachineWatch {
  readonly #began = performance.now()
  readonly #allAtStart = machineSeconds()
  readonly #oursAtStart = treeCpuSeconds(process.pid)

  /** One line: load average, cores, and the processor time used by other processes and withheld by the host. */
  describe(): string {
    const load = loadavg()
      .map((average) => average.toFixed(1))
      .join(' ')
    const cores = availableParallelism()
    const all = machineSeconds()
    const ours = treeCpuSeconds(process.pid)
    if (all === null || ours === null || this.#allAtStart === null || this.#oursAtStart === null) {
      return `machine: ${cores} cores, load average ${load}`
    }
    const seconds = (performance.now() - this.#began) / 1000
    const oursBusy = (ours - this.#oursAtStart) / seconds
    const othersBusy = Math.max(0, (all.busy - this.#allAtStart.busy) / seconds - oursBusy)
    const stolen = (all.stolen - this.#allAtStart.stolen) / seconds
    return (
      `machine: ${cores} cores, load average ${load}; over ${seconds.toFixed(0)} s this bench kept ${oursBusy.toFixed(2)} of them busy, ` +
      `others ${othersBusy.toFixed(2)}, and its host withheld ${stolen.toFixed(2)}`
    )
  }
}

/** CPU time of one process, or of a thread by `PID/task/TID`, seconds; null where there is no /proc. */
export function cpuSeconds(pid: number | string): number | null {
  const fields = statFields(pid)
  return fields === null ? null : (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

/** CPU time of the threads of this name that a process has now, seconds, by their ids. */
export function threadSeconds(pid: number, name: string): ReadonlyMap<string, number> {
  const ofName = readFolderIfThere(`/proc/${pid}/task`).filter(
    (id) => readIfThere(`/proc/${pid}/task/${id}/comm`)?.trim() === name,
  )
  return new Map(ofName.map((id) => [id, cpuSeconds(`${pid}/task/${id}`) ?? 0]))
}

/** Resident memory of a process, now or at most so far, or its part that is of no file; a line of /proc/PID/status. */
type MemoryField = 'VmRSS' | 'VmHWM' | 'RssAnon'

/** MB (1024 × 1024 bytes); null where there is no /proc. */
export function rssMb(pid: number, field: MemoryField = 'VmRSS'): number | null {
  const status = readIfThere(`/proc/${pid}/status`)
  const kilobytes = status === null ? undefined : new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]
  return kilobytes === undefined ? null : Number(kilobytes) / 1024
}

/**
 * Over all cores since boot: busy, and ready to run while the host of a virtual machine ran something else ("steal").
 */
function machineSeconds(): { readonly busy: number; readonly stolen: number } | null {
  const line = readIfThere('/proc/stat')?.split('\n')[0]
  if (line === undefined) return null
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = line.split(/\s+/).slice(1).map(Number)
  return { busy: (user + nice + system + irq + softirq) / TICKS_PER_SECOND, stolen: steal / TICKS_PER_SECOND }
}

/** CPU time of a process, its living descendants and those of its children that have ended. */
function treeCpuSeconds(root: number): number | null {
  const parents = new Map<number, number>()
  for (const name of readFolderIfThere('/proc')) {
    const fields = /^\d+$/.test(name) ? statFields(Number(name)) : null
    if (fields !== null) parents.set(Number(name), Number(fields[1]))
  }
  if (parents.size === 0) return null
  let ticks = 0
  for (const pid of parents.keys()) {
    if (!descends(pid, root, parents)) continue
    const fields = statFields(pid)
    if (fields !== null) ticks += [11, 12, 13, 14].reduce((sum, field) => sum + Number(fields[field]), 0)
  }
  return ticks / TICKS_PER_SECOND
}

function descends(pid: number, root: number, parents: ReadonlyMap<number, number>): boolean {
  let at: number | undefined = pid
  while (at !== undefined && at !== root) at = parents.get(at)
  return at === root
}

/** Fields of /proc/PID/stat after the name, which may contain anything: state is 0, parent 1, CPU times 11 to 14. */
function statFields(pid: number | string): readonly string[] | null {
  const stat = readIfThere(`/proc/${pid}/stat`)
  return stat === null ? null : stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

/** A process may end during the read, and other systems have no /proc. */
function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

function readFolderIfThere(path: string): string[] {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}
