import protobuf from 'protobufjs';
import { protoFileNames, readProtoFile } from './proto-files.ts';

/** One .proto file, read. */
export interface SchemaFile {
  readonly name: string;
  readonly packageName: string;
  readonly syntax: 'proto2' | 'proto3';
  readonly imports: readonly string[];
  readonly namespace: protobuf.Namespace;
}

export interface MethodSchema {
  /** `/package.Service/Method`, the path of its requests. */
  readonly path: string;
  readonly request: protobuf.Type;
  readonly reply: protobuf.Type;
  readonly isClientStream: boolean;
  readonly isServerStream: boolean;
}

export interface Schema {
  readonly files: readonly SchemaFile[];
  readonly serviceNames: readonly string[];
  /** The methods of a service, in the order of its file. */
  methodsOf(serviceName: string): readonly MethodSchema[];
  messageType(name: string): protobuf.Type;
}

/** Reads every .proto file; takes tens of milliseconds, so it is done when the first call comes. */
export function loadSchema(): Schema {
  const root = new protobuf.Root();
  const files = protoFileNames.map((name) => loadFile(root, name));
  root.resolveAll();
  const services = new Map(files.flatMap(servicesOf).map((service) => [nameOf(service), service]));
  return {
    files,
    serviceNames: [...services.keys()],
    methodsOf: (serviceName) => services.get(serviceName)!.methodsArray.map(methodSchema),
    messageType: (name) => root.lookupType(name),
  };
}

function loadFile(root: protobuf.Root, name: (typeof protoFileNames)[number]): SchemaFile {
  const source = readProtoFile(name);
  const { package: packageName, imports } = protobuf.parse(source, root);
  return {
    name,
    packageName: packageName!,
    syntax: /^syntax = "proto2"/m.test(source) ? 'proto2' : 'proto3',
    imports: imports ?? [],
    namespace: root.lookup(packageName!) as protobuf.Namespace,
  };
}

function servicesOf({ namespace }: SchemaFile): protobuf.Service[] {
  return namespace.nestedArray.filter((one) => one instanceof protobuf.Service);
}

function methodSchema(method: protobuf.Method): MethodSchema {
  return {
    path: `/${nameOf(method.parent!)}/${method.name}`,
    request: method.resolvedRequestType!,
    reply: method.resolvedResponseType!,
    isClientStream: method.requestStream === true,
    isServerStream: method.responseStream === true,
  };
}

/** The full name without the dot protobufjs puts before it. */
export function nameOf(object: protobuf.ReflectionObject): string {
  return object.fullName.slice(1);
}
