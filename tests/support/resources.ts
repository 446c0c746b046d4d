export { endpoints, keyEndpoints, type PlacedEndpoint, resources } from "../../contract/resources.ts";
