/**
 * An endpoint returned nothing usable. The message may be shown to clients of a job: it contains no key and no address.
 */
export class EndpointFailure extends Error {
  override readonly name = 'EndpointFailure'
}
