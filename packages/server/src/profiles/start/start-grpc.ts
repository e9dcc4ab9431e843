import type { HttpDependencies } from '../../http/kernel/dependencies.ts'
import { type GrpcServer, startGrpcServer } from '../../http/otlp/grpc/grpc-server.ts'
import { OperatorError } from '../../lib/operator-error.ts'
import { explainPort } from './hold-port.ts'

/**
 * OTLP over gRPC on a port of its own. Loaded only if that port is set. Throws OperatorError, with what to do, when the
 * port is not available.
 */
export async function startGrpc(
  dependencies: HttpDependencies,
  { host, otlpGrpcPort: port }: { readonly host: string; readonly otlpGrpcPort: number },
): Promise<GrpcServer> {
  const address = { host, port }
  try {
    const server = await startGrpcServer(dependencies, address)
    dependencies.logger.info({ port: server.port }, 'taking OTLP over gRPC')
    return server
  } catch (error) {
    const problem = await explainPort(error as NodeJS.ErrnoException, address, 'SPOOR_OTLP_GRPC_PORT')
    throw new OperatorError(problem, { cause: error })
  }
}
