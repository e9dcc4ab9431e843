import type { LeaseEpoch } from '../../ports/leases/lease-store.ts'
import type { DeliveryIntake } from '../../ports/webhooks/delivery-intake.ts'
import { Dispatcher, type DispatcherDependencies } from './dispatcher.ts'

export interface LeasedDispatcherDependencies extends Omit<DispatcherDependencies, 'intake'> {
  /** The intake whose writes are refused once another node has taken the lease. */
  readonly intakeUnder: (lease: LeaseEpoch) => DeliveryIntake
  /** Resolves when this node's feed has everything that was committed before the call. */
  readonly follow: () => Promise<void>
}

/** For a LeasedRunner: the dispatcher of the node that holds the lease. A new store begins where the journal begins. */
export async function startLeasedDispatcher(
  { intakeUnder, follow, ...dependencies }: LeasedDispatcherDependencies,
  lease: LeaseEpoch,
): Promise<Dispatcher> {
  const intake = intakeUnder(lease)
  await intake.add([], 0)
  // Another node may have dispatched events that this one has not read yet.
  await follow()
  const dispatcher = new Dispatcher({ ...dependencies, intake })
  await dispatcher.start()
  return dispatcher
}
