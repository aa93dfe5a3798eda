// The example agent: shows what a fallback agent is given, and succeeds. Put a real one into config/mesh.yaml.
import { text } from 'node:stream/consumers';

const prompt = await text(process.stdin);
const { MESH_RULE, MESH_EVENT, MESH_TOOL = 'none', MESH_DEPTH, MESH_ATTEMPT, MESH_DESCRIPTION } = process.env;

console.log(`Example agent: ${MESH_DESCRIPTION}`);
console.log(
  `Started by rule ${MESH_RULE} for ${MESH_EVENT} (tool: ${MESH_TOOL}), depth ${MESH_DEPTH}, attempt ${MESH_ATTEMPT}.`,
);
console.log(`It was asked:\n${prompt}`);
