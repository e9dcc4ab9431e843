import { startWorker } from '../workers/worker-process.ts'

export interface CostJob {
  /** `points` are only clustered; `texts` are embedded first. */
  readonly kind: 'points' | 'texts'
  readonly count: number
  readonly dimensions: number
}

export interface CostResult {
  readonly k: number
  readonly cpuSeconds: number
  readonly memoryMb: number
}

export async function measureCost(job: CostJob): Promise<CostResult> {
  const worker = await startWorker<CostJob, CostResult>('cluster-cost-process')
  try {
    return await worker.run(job)
  } finally {
    await worker.stop()
  }
}
