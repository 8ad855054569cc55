// All kinds of a plugin are in the archetype: those files that the chosen one does not need are removed.
import java.nio.file.Files
import java.nio.file.Path

def parts = [
    policy: ['Policy', 'Diagnostic', 'PolicyTest', 'PolicyContractTest', 'DayTest'],
    factory: ['Factory', 'FactoryContractTest'],
    allocator: ['Allocator', 'AllocatorContractTest'],
    controller: ['Controller', 'Source', 'ControllerContractTest'],
]
def name = request.properties['className']
def unwanted = parts.findAll { it.key != request.properties['kind'] }
        .collectMany { it.value }
        .collect { "${name}${it}.java".toString() }
if (request.properties['kind'] != 'policy') {
    unwanted.add('day.jsonl')
}
Path project = Path.of(request.outputDirectory, request.artifactId)
Files.walk(project).withCloseable { files ->
    files.filter { unwanted.contains(it.fileName.toString()) }.toList().each { Files.delete(it) }
}
