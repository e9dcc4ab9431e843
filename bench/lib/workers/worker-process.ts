import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** A process of a bench that takes one job at a time and replies to each. */
export interface WorkerProcess<Job, Result> {
  readonly pid: number
  run(job: Job): Promise<Result>
  stop(): Promise<void>
}

/** Starts `bench/lib/<name>.ts`, which MUST call `answerJobs`. */
export async function startWorker<Job, Result>(name: string): Promise<WorkerProcess<Job, Result>> {
  const child = fork(fileURLToPath(new URL(`./${name}.ts`, import.meta.url)), {
    serialization: 'advanced',
    env: { ...process.env, UV_THREADPOOL_SIZE: '16' },
  })
  const ended = once(child, 'exit')
  await nextMessage(child, ended, name)
  return {
    pid: child.pid!,
    async run(job) {
      const answer = nextMessage(child, ended, name)
      child.send(job as object)
      return (await answer) as Result
    },
    async stop() {
      child.disconnect()
      await ended
    },
  }
}

async function nextMessage(child: ChildProcess, ended: Promise<unknown[]>, name: string): Promise<unknown> {
  const gone = ended.then(([code]) => {
    throw new Error(`${name} ended (exit code ${code as number | null})`)
  })
  const [message] = (await Promise.race([once(child, 'message'), gone])) as [unknown]
  return message
}

/** The worker's side: replies to each job, reports that it is ready, and runs `close` when there are no more jobs. */
export function answerJobs<Job, Result>(work: (job: Job) => Promise<Result>, close?: () => Promise<void>): void {
  process.on('message', (job: Job) => {
    void work(job).then(
      (result) => process.send!(result as object),
      (error: unknown) => {
        console.error(error)
        process.exit(1)
      },
    )
  })
  process.on('disconnect', () => {
    void (close?.() ?? Promise.resolve()).then(() => process.exit(0))
  })
  process.send!('ready')
}
